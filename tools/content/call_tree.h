/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From stacks to trees of calls. */
#ifndef CALL_TREE_H
#define CALL_TREE_H

#include "content/calls.h"

/*
 * Of the profile's stacks, if profile_has_stacks(). @functions are of the same
 * profile; their rows are told what they have reached.
 */
void call_tree_make(struct call_tree *tree, const struct profile *profile,
		    struct functions *functions);
/*
 * The stacks that functions are in, as a tree from them to their callers: the
 * root's callees are the rows for which @wanted is true, below them are who called
 * them, and so on. Each stack counts once, from the innermost of these functions,
 * and `samples` are those of stacks that have no further caller. There is no
 * of_node.
 */
typedef bool call_tree_wanted(const struct row *row, const void *context);
void call_tree_callers(struct call_tree *callers, const struct call_tree *tree,
		       const struct functions *functions,
		       call_tree_wanted *wanted, const void *context);

void call_tree_free(struct call_tree *tree);

#endif
