/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TREE_H
#define TREE_H

#include "content/report.h"

/* Who called whom, as text: from the outermost functions to what they called, */
report_writer report_tree;

/* and from the functions called report->callee to their callers. */
report_writer report_tree_callers;

/* --- for other trees -------------------------------------------------------- */

struct tree_function {
	const struct object	*object;
	const char		*name;
	bool			inlined;
};

/*
 * "name", or "name (object)" where it is another one than the @caller's, which is
 * NULL without a caller. To be freed.
 */
char *tree_name(const struct tree_function *function,
		const struct object *caller);

/*
 * The end of a line that has @used columns and may have @width: one column for each
 * caller, as long as there is room, then the name.
 */
void tree_print_name(FILE *out, size_t width, size_t used, uint32_t depth,
		     const char *name);

/* Whether there is a tree; a message says that there is none. */
bool tree_has_stacks(const struct report *report);

/* Who called functions called @callee; false: nobody. */
bool tree_of_callers(struct call_tree *callers, const struct report *report,
		     const char *callee);

/* The message that there is nobody. */
void tree_nobody(const char *callee);

#endif
