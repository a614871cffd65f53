// SPDX-License-Identifier: LGPL-2.1-or-later
#include "functions.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static struct row *begin_row(struct functions *functions, struct profile *profile,
			     size_t place)
{
	const struct place *first = &profile->places[place];
	const struct function *function =
		symbols_function(&profile->objects[first->object], first->address);
	struct row *row;

	ensure(functions->rows, functions->n, functions->room);
	row = &functions->rows[functions->n++];
	*row = (struct row){
		.object = first->object, .name = function->name,
		.start = function->start, .end = function->end, .place = place,
	};
	return row;
}

/* Places are sorted: those of one function, and of one address, are together. */
static void fill_row(struct row *row, const struct profile *profile)
{
	uint64_t at = 0, here = 0, most = 0;
	size_t i = row->place;

	for (; i < profile->nplaces; i++) {
		const struct place *place = &profile->places[i];

		if (place->object != row->object || !is_before(place->address, row->end))
			break;
		here = place->address == at ? here + place->samples :
					      place->samples;
		at = place->address;
		if (here > most) {
			most = here;
			row->hottest = at;
		}
		row->samples += place->samples;
		row->ns += place->ns;
	}
	row->nplaces = i - row->place;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

void functions_make(struct functions *functions, struct profile *profile)
{
	size_t i = 0;

	while (i < profile->nplaces) {
		struct row *row = begin_row(functions, profile, i);

		fill_row(row, profile);
		i += row->nplaces;
	}
	if (functions->n)
		qsort(functions->rows, functions->n, sizeof(*functions->rows),
		      compare_rows);
}

void functions_free(struct functions *functions)
{
	free(functions->rows);
	*functions = (struct functions){ NULL };
}
