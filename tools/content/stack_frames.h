/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which functions are at the places of stacks. */
#ifndef STACK_FRAMES_H
#define STACK_FRAMES_H

#include "content/row_maker.h"

/* Makes rows for them, which have no samples if they are no places of the profile's. */
void stack_frames_make(struct stack_frames *frames, struct row_maker *maker);

/* Row @i has become row @to[i]. */
void stack_frames_renumber(struct stack_frames *frames, const uint32_t *to);
void stack_frames_free(struct stack_frames *frames);

#endif
