/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a tree of calls to a tree of callers. */
#ifndef CALLERS_OF_FUNCTIONS_H
#define CALLERS_OF_FUNCTIONS_H

#include "content/call_tree.h"
#include "content/functions.h"

/*
 * The stacks that functions are in, as a tree from them to their callers: the
 * root's callees are the rows for which @wanted is true, below them are who called
 * them, and so on. Each stack counts once, from the innermost of these functions,
 * and `samples` are those of stacks that have no further caller. There is no
 * of_node.
 */
typedef bool callers_of_functions_wanted(const struct row *row,
					 const void *context);
void callers_of_functions(struct call_tree *callers,
			  const struct call_tree *tree,
			  const struct functions *functions,
			  callers_of_functions_wanted *wanted,
			  const void *context);

#endif
