/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where functions begin and end: each address is in one. */
#ifndef FUNCTION_TABLE_H
#define FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
	uint64_t	start;
	uint64_t	end;
	char		*name;	/* demangled; made from the address, if need be */
	char		*symbol;	/* as in the symbol table, or NULL */
	bool		known;		/* the name is not made from the address */
};

struct function_table {
	struct function	*list;	/* by start, not overlapping */
	size_t		n, room;
	uint64_t	unit;	/* addresses of one that is made; 0: a page's */
};

/* @end is @start if it is not known; @symbol, which is copied, NULL. */
void function_table_add(struct function_table *table, uint64_t start,
			uint64_t end, const char *symbol);

/*
 * After the last one, and before the first question: leaves one function for
 * each start, and ends each where the next begins.
 */
void function_table_tidy(struct function_table *table);

/*
 * The function at @address: where there is none, one is made for its page, or
 * unit. Valid until the next call.
 */
struct function *function_table_find(struct function_table *table,
				     uint64_t address);

void function_table_free(struct function_table *table);

#endif
