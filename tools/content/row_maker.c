// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/row_maker.h"
#include "common/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare_text(const char *x, const char *y)
{
	if (!x || !y)
		return x ? 1 : y ? -1 : 0;
	return strcmp(x, y);
}

int numbers_compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

int lines_compare(const struct line *x, const struct line *y)
{
	int order = compare_text(x->file, y->file);

	return order ? order : numbers_compare((uint64_t)x->number,
					      (uint64_t)y->number);
}

int rows_compare(const struct row *x, const struct row *y)
{
	int order = numbers_compare(x->object, y->object);

	if (!order)
		order = numbers_compare(x->inlined, y->inlined);
	if (!order)
		order = numbers_compare(x->start, y->start);
	if (order || !x->inlined)
		return order;
	order = lines_compare(&x->declared, &y->declared);
	return order ? order : strcmp(x->name, y->name);
}

static int compare(const void *a, const void *b)
{
	return rows_compare(a, b);
}

static struct row identity(uint32_t object, const struct function *function,
			   const struct frame *frame, bool inlined)
{
	struct row row = {
		.object = object, .name = frame->name, .inlined = inlined,
	};

	if (inlined) {
		row.declared = frame->declared;
		row.known = true;
	} else {
		row.start = function->start;
		row.end = function->end;
		row.known = function->known;
	}
	return row;
}

struct making *row_maker_find(struct row_maker *maker, uint32_t object,
			      const struct function *function,
			      const struct frame *frame, bool inlined)
{
	struct making *making = allocate(sizeof(*making)), **found;

	making->row = identity(object, function, frame, inlined);
	found = tsearch(making, &maker->index, compare);
	if (!found)
		out_of_memory();
	if (*found != making) {
		free(making);
		return *found;
	}
	ensure(maker->list, maker->n, maker->room);
	making->row.number = (uint32_t)maker->n;
	maker->list[maker->n++] = making;
	return making;
}

static void ignore(void *node)
{
	(void)node;
}

void row_maker_end(struct row_maker *maker)
{
	size_t i;

	tdestroy(maker->index, ignore);
	for (i = 0; i < maker->n; i++)
		free(maker->list[i]);
	free(maker->list);
	*maker = (struct row_maker){ NULL };
}
