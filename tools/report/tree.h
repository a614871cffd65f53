/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TREE_H
#define TREE_H

#include "content/report.h"

/* --tree: from the outermost callers to their callees. */
report_writer report_tree;

/* --callers: from the functions that match report->callee to their callers. */
report_writer report_tree_callers;

/* --- for diff_tree.c --------------------------------------------------------- */

struct tree_function {
	const struct object	*object;
	const char		*name;
	bool			inlined;
};

/*
 * "name", or "name (object)" if the object is not @caller, that of the caller, or
 * NULL. The caller of tree_name() frees it.
 */
char *tree_name(const struct tree_function *function,
		const struct object *caller);

/*
 * Prints the rest of a line of @width columns, of which @used are used: one blank for
 * each caller, up to a third of the line, then the name.
 */
void tree_print_name(FILE *out, size_t width, size_t used, uint32_t depth,
		     const char *name);

/*
 * Makes a tree of the functions that match @callee, their callers below them. Each
 * stack counts once, at its innermost match, and its samples are at its outermost
 * caller. of_node is NULL. Returns false if no stack has a match.
 */
bool tree_of_callers(struct call_tree *callers, const struct report *report,
		     const struct name_pattern *callee);

/* Warns that no stack has a match. */
void tree_nobody(const struct name_pattern *callee);

#endif
