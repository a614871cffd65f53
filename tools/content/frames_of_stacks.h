/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the places of stacks to the functions there. */
#ifndef FRAMES_OF_STACKS_H
#define FRAMES_OF_STACKS_H

#include "content/row_maker.h"

/* Adds rows for functions that have no samples of their own. */
void frames_of_stacks(struct stack_frames *frames, struct row_maker *maker);

#endif
