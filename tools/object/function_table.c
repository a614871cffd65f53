// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/function_table.h"
#include "common/bisect.h"
#include "common/compare.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

void function_table_add(struct function_table *table, uint64_t start,
			uint64_t end, const char *symbol)
{
	struct function function = { .start = start, .end = end };

	if (symbol)
		function.symbol = copy_text(symbol);
	ensure(table->list, table->n, table->room);
	table->list[table->n++] = function;
}

/* Of functions at one address, prefers those with a name and a size, and plain names. */
static int rank(const struct function *function)
{
	const char *symbol = function->symbol;

	if (!symbol)
		return 100;
	return (function->end > function->start ? 0 : 50) +
	       (symbol[0] == '_') + (symbol[0] && symbol[1] == '_');
}

/* The shorter one first, without its version: free before cfree@GLIBC_2.2.5. */
static int compare_names(const char *a, const char *b)
{
	int order = (int)strcspn(a, "@") - (int)strcspn(b, "@");

	return order ? order : strcmp(a, b);
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = rank(x) - rank(y);

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return order ? order : x->symbol && y->symbol ?
		compare_names(x->symbol, y->symbol) : 0;
}

/* Keeps one function for each start, and no start of the unwind table in a symbol. */
static void remove_others(struct function_table *table)
{
	struct function *functions = table->list;
	uint64_t reach = functions[0].end;
	size_t i, n = 0;

	for (i = 1; i < table->n; i++) {
		if (functions[i].start == functions[n].start ||
		    (!functions[i].symbol && functions[i].start < reach)) {
			free(functions[i].symbol);
			continue;
		}
		functions[++n] = functions[i];
		if (functions[n].end > reach)
			reach = functions[n].end;
	}
	table->n = n + 1;
}

/* Functions that have begun and not ended, innermost last. */
struct open {
	const struct function	**list;
	size_t			n;
};

static void add_part(struct function_table *table, const struct function *function,
		     uint64_t start, uint64_t end)
{
	function_table_add(table, start, end, function->symbol);
	table->list[table->n - 1].first = function->start;
	table->list[table->n - 1].last = function->end;
}

/* Adds the parts of open functions up to the start of the next function. */
static void add_parts(struct function_table *table, struct open *open, uint64_t at,
		      uint64_t next)
{
	while (at < next && open->n) {
		const struct function *innermost = open->list[open->n - 1];

		if (innermost->end > at) {
			uint64_t end = innermost->end < next ? innermost->end : next;

			add_part(table, innermost, at, end);
			at = end;
		} else {
			open->n--;
		}
	}
}

void function_table_tidy(struct function_table *table)
{
	struct function_table all = *table;
	struct open open = { 0 };
	size_t i;

	if (!all.n)
		return;
	qsort(all.list, all.n, sizeof(*all.list), compare_functions);
	remove_others(&all);
	open.list = allocate(all.n * sizeof(*open.list));
	*table = (struct function_table){ .unit = all.unit };
	for (i = 0; i < all.n; i++) {
		struct function *function = &all.list[i];
		uint64_t next = i + 1 < all.n ? function[1].start : UINT64_MAX;

		/* Without a size it ends there, whatever it is in. */
		if (function->end <= function->start)
			function->end = next;
		open.list[open.n++] = function;
		add_parts(table, &open, function->start, next);
	}
	free(open.list);
	function_table_free(&all);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct function *x = *(struct function *const *)a;
	const struct function *y = *(struct function *const *)b;

	return strcmp(x->symbol, y->symbol) ?: compare_numbers(x->start, y->start);
}

void function_table_join(struct function_table *table)
{
	struct function **sorted = allocate(table->n * sizeof(*sorted));
	size_t i, first = 0;

	for (i = 0; i < table->n; i++)
		sorted[i] = &table->list[i];
	if (table->n)
		qsort(sorted, table->n, sizeof(*sorted), compare_symbols);
	for (i = 0; i < table->n; i++) {
		if (strcmp(sorted[i]->symbol, sorted[first]->symbol))
			first = i;
		sorted[i]->first = sorted[first]->start;
	}
	for (i = table->n; i--;) {
		bool more = i + 1 < table->n && sorted[i + 1]->first == sorted[i]->first;

		sorted[i]->last = more ? sorted[i + 1]->last : sorted[i]->end;
	}
	free(sorted);
}

static int compare_starts(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return compare_numbers(x->start, y->start);
}

void function_table_merge(struct function_table *table)
{
	struct function *list = table->list;
	size_t i, n = 0;

	if (!table->n)
		return;
	qsort(list, table->n, sizeof(*list), compare_starts);
	for (i = 1; i < table->n; i++) {
		if (list[i].start > list[n].start)
			list[++n] = list[i];
		else
			free(list[i].name);
	}
	table->n = n + 1;
}

/* Index of the last function that does not begin after @address, or -1. */
static ssize_t search(struct function_table *table, uint64_t address)
{
	const struct function *list = table->list;
	size_t last = table->last;

	/* Most addresses are looked up in their order. */
	if (last < table->n && list[last].start <= address &&
	    (last + 1 == table->n || address < list[last + 1].start))
		return (ssize_t)last;
	last = bisect(i, table->n, list[i].start <= address);
	if (last)
		table->last = last - 1;
	return (ssize_t)last - 1;
}

#define PAGE	4096ULL

/* Inserts a function for the page or unit of @address, between its neighbours. */
static struct function *insert(struct function_table *table, ssize_t after,
			       uint64_t address)
{
	size_t at = (size_t)(after + 1);
	uint64_t unit = table->unit ? table->unit : PAGE;
	uint64_t start = address & ~(unit - 1), end = start + unit;

	/* The last page ends with the last address. */
	if (!end)
		end = UINT64_MAX;
	if (after >= 0 && table->list[after].end > start)
		start = table->list[after].end;
	if (at < table->n && table->list[at].start < end)
		end = table->list[at].start;
	function_table_add(table, 0, 0, NULL);
	memmove(&table->list[at + 1], &table->list[at],
		(table->n - 1 - at) * sizeof(table->list[0]));
	table->list[at] = (struct function){ start, end, start, end, NULL, NULL, false };
	return &table->list[at];
}

/* A range that ends with the last address contains that address. */
static bool is_before(uint64_t address, uint64_t end)
{
	return address < end || end == UINT64_MAX;
}

struct function *function_table_find(struct function_table *table, uint64_t address)
{
	ssize_t i = search(table, address);

	return i < 0 || !is_before(address, table->list[i].end) ?
		insert(table, i, address) : &table->list[i];
}

void function_table_free(struct function_table *table)
{
	size_t i;

	for (i = 0; i < table->n; i++) {
		free(table->list[i].name);
		free(table->list[i].symbol);
	}
	free(table->list);
}
