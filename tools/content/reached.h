/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REACHED_H
#define REACHED_H

#include "content/functions.h"
#include "profile/stacks.h"

/* Sets the time of each function with what it called. A recursive one counts once. */
void reached_count(struct functions *functions, const struct stacks *stacks);

#endif
