/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From stacks to a tree of calls. */
#ifndef CALLS_OF_STACKS_H
#define CALLS_OF_STACKS_H

#include "content/call_tree.h"
#include "content/functions.h"

/*
 * Of the profile's stacks, if profile_has_stacks(). @functions are of the same
 * profile; their rows are told what they have reached.
 */
void calls_of_stacks(struct call_tree *tree, const struct profile *profile,
		     struct functions *functions);

#endif
