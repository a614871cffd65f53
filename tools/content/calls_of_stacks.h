/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From stacks to a tree of calls. */
#ifndef CALLS_OF_STACKS_H
#define CALLS_OF_STACKS_H

#include "content/call_tree.h"
#include "content/functions.h"

/* Makes the call tree of the profile's stacks. @functions are of the same profile. */
void calls_of_stacks(struct call_tree *tree, const struct profile *profile,
		     const struct functions *functions);

#endif
