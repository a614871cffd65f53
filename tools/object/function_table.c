// SPDX-License-Identifier: LGPL-2.1-or-later
#include "object/function_table.h"
#include "common/memory.h"
#include "common/bisect.h"

#include <stdlib.h>
#include <string.h>

void function_table_add(struct function_table *table, uint64_t start,
			uint64_t end, const char *symbol)
{
	struct function function = { .start = start, .end = end };

	if (symbol)
		function.symbol = format_text("%s", symbol);
	ensure(table->list, table->n, table->room);
	table->list[table->n++] = function;
}

/* Of several at one address: those with a name and a size, plain names first. */
static int rank(const struct function *function)
{
	const char *symbol = function->symbol;

	if (!symbol)
		return 100;
	return (function->end > function->start ? 0 : 50) +
	       (symbol[0] == '_') + (symbol[0] && symbol[1] == '_');
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = rank(x) - rank(y);

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return order ? order : x->symbol && y->symbol ?
		strcmp(x->symbol, y->symbol) : 0;
}

/* True if the unwind table's start @next lies within the symbol @last. */
static bool is_within(const struct function *last, const struct function *next)
{
	return next->start == last->start ||
	       (!next->symbol && last->symbol && next->start < last->end);
}

void function_table_tidy(struct function_table *table)
{
	struct function *functions = table->list;
	size_t i, n = 0;

	if (!table->n)
		return;
	qsort(functions, table->n, sizeof(*functions), compare_functions);
	for (i = 1; i < table->n; i++) {
		if (is_within(&functions[n], &functions[i]))
			free(functions[i].symbol);
		else
			functions[++n] = functions[i];
	}
	table->n = n + 1;
	for (i = 0; i < table->n; i++) {
		uint64_t next = i + 1 < table->n ? functions[i + 1].start :
						     UINT64_MAX;

		if (functions[i].end <= functions[i].start ||
		    functions[i].end > next)
			functions[i].end = next;
	}
}

/* Index of the last function that does not begin after @address, or -1. */
static ssize_t search(const struct function_table *table, uint64_t address)
{
	return (ssize_t)bisect(i, table->n, table->list[i].start <= address) -
	       1;
}

#define PAGE	4096ULL

/* A function for the page, or the unit, of @address, as far as no symbol is in it. */
static struct function *insert(struct function_table *table, ssize_t after,
			       uint64_t address)
{
	size_t at = (size_t)(after + 1);
	uint64_t unit = table->unit ? table->unit : PAGE;
	uint64_t start = address & ~(unit - 1), end = start + unit;

	/* The last page of all ends with the last address. */
	if (!end)
		end = UINT64_MAX;
	if (after >= 0 && table->list[after].end > start)
		start = table->list[after].end;
	if (at < table->n && table->list[at].start < end)
		end = table->list[at].start;
	function_table_add(table, 0, 0, NULL);
	memmove(&table->list[at + 1], &table->list[at],
		(table->n - 1 - at) * sizeof(table->list[0]));
	table->list[at] = (struct function){ .start = start, .end = end };
	return &table->list[at];
}

/* The last address of all can only be in a range that ends with it. */
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
