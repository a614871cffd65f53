/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of an object, by address. Each address belongs to one: the innermost.
 * A function around another one is several parts.
 */
#ifndef FUNCTION_TABLE_H
#define FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
	uint64_t	start;
	uint64_t	end;
	uint64_t	first, last;	/* start and end of all parts of the function */
	char		*name;	/* demangled, or made from the address */
	char		*symbol;	/* as in the symbol table, or NULL */
	bool		known;		/* the name is not made from the address */
};

struct function_table {
	struct function	*list;	/* by start, without overlaps */
	size_t		n, room;
	size_t		last;	/* the function found last */
	uint64_t	unit;	/* size of inserted functions; 0: a page */
};

/* @end is at most @start, and @symbol NULL, if unknown. Copies @symbol. */
void function_table_add(struct function_table *table, uint64_t start,
			uint64_t end, const char *symbol);

/*
 * After the last function, before the first lookup: keeps one function for each start,
 * and ends each at the start of the next. Behind a function inside another one, the
 * outer one goes on.
 */
void function_table_tidy(struct function_table *table);

/*
 * After that, if each function has a symbol: makes those of the same symbol parts of one
 * function.
 */
void function_table_join(struct function_table *table);

/*
 * Instead, if the functions are of several tables: keeps one for each start. @first,
 * @last and @name are those of the caller.
 */
void function_table_merge(struct function_table *table);

/*
 * The function at @address. If there is none, inserts one for its page or unit. Valid
 * until the next call.
 */
struct function *function_table_find(struct function_table *table,
				     uint64_t address);

void function_table_free(struct function_table *table);

#endif
