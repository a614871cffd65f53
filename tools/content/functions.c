// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/functions.h"
#include "common/compare.h"

#include <stdlib.h>
#include <string.h>

static int compare_text(const char *x, const char *y)
{
	if (!x || !y)
		return x ? 1 : y ? -1 : 0;
	return strcmp(x, y);
}

static int compare_lines(const struct line *x, const struct line *y)
{
	return compare_text(x->file, y->file) ?:
	       compare_numbers((uint64_t)x->number, (uint64_t)y->number);
}

bool functions_same_line(const struct line *x, const struct line *y)
{
	return !compare_lines(x, y);
}

int functions_compare_rows(const struct row *x, const struct row *y)
{
	int order = compare_numbers(x->object, y->object) ?:
		    compare_numbers(x->inlined, y->inlined) ?:
		    compare_numbers(x->start, y->start);

	if (order || !x->inlined)
		return order;
	return compare_lines(&x->declared, &y->declared) ?: strcmp(x->name, y->name);
}

void functions_free(struct functions *functions)
{
	size_t i;

	for (i = 0; i < functions->n; i++) {
		free(functions->rows[i].places);
		free(functions->rows[i].sites);
	}
	free(functions->rows);
	stack_frames_free(&functions->frames);
	*functions = (struct functions){ 0 };
}

const struct frame *functions_frame(const struct row *row,
				    const struct frame *frames, size_t n)
{
	size_t i;

	if (!row->inlined)
		return &frames[n - 1];
	for (i = 0; i + 1 < n; i++)
		if (!strcmp(frames[i].name, row->name) &&
		    !compare_lines(&frames[i].declared, &row->declared))
			return &frames[i];
	return NULL;
}
