// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/row_maker.h"
#include "common/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return functions_compare_rows(a, b);
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
		row.start = function->first;
		row.end = function->last;
		row.known = function->known;
	}
	return row;
}

static struct row_making *add_row(struct row_maker *maker, const struct row *row)
{
	struct row_making *making = allocate(sizeof(*making));

	making->row = *row;
	making->row.number = (uint32_t)maker->n;
	if (!tsearch(making, &maker->index, compare))
		out_of_memory();
	ensure(maker->list, maker->n, maker->room);
	maker->list[maker->n++] = making;
	return making;
}

struct row_making *row_maker_find(struct row_maker *maker, uint32_t object,
				  const struct function *function,
				  const struct frame *frame, bool inlined)
{
	const struct row row = identity(object, function, frame, inlined);
	struct row_making **last = &maker->last[inlined], **found;

	/* Most addresses that follow each other are of one function. */
	if (*last && !functions_compare_rows(&(*last)->row, &row))
		return *last;
	found = tfind(&row, &maker->index, compare);
	*last = found ? *found : add_row(maker, &row);
	return *last;
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
	*maker = (struct row_maker){ 0 };
}
