// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/functions_of_places.h"
#include "common/compare.h"
#include "common/memory.h"
#include "content/row_maker.h"
#include "content/frames_of_stacks.h"
#include "object/frames.h"

#include <stdlib.h>
#include <string.h>

static void add_site(struct row *row, const struct function *function,
		     uint64_t samples)
{
	size_t i = row->nsites;

	/* Places are sorted by address: it is the last one, or around it, or new. */
	while (i && row->sites[i - 1].start > function->first)
		i--;
	if (!i || row->sites[i - 1].start != function->first) {
		ensure(row->sites, row->nsites, row->sites_room);
		i = ++row->nsites;
		row->sites[i - 1] = (struct site){ function->name, function->first,
						   function->last, 0 };
	}
	row->sites[i - 1].samples += samples;
}

static void add_place(struct row_making *making, size_t index,
		      const struct place *place)
{
	struct row *row = &making->row;

	ensure(row->places, row->nplaces, row->places_room);
	row->places[row->nplaces++] = index;
	row->total += place->samples;
	row->total_ns += place->ns;
}

static void add_self(struct row_making *making, const struct place *place)
{
	making->here = place->address == making->at ? making->here : 0;
	making->here += place->samples;
	making->at = place->address;
	if (making->here > making->most) {
		making->most = making->here;
		making->row.hottest = making->at;
	}
	making->row.samples += place->samples;
	making->row.ns += place->ns;
}

/* A function that is inlined into itself gets a place once. */
static bool has_place(const struct row *row, size_t index)
{
	return row->nplaces && row->places[row->nplaces - 1] >= index;
}

/* The end of the places at the address of place @first. */
static size_t end_of_address(const struct profile *profile, size_t first)
{
	const struct place *places = profile->places;
	size_t i = first;

	while (i < profile->nplaces && places[i].object == places[first].object &&
	       places[i].address == places[first].address)
		i++;
	return i;
}

static void add_frame(struct row_making *making, const struct place *places,
		      size_t first, size_t end, const struct function *function,
		      bool innermost)
{
	size_t i;

	for (i = first; i < end; i++) {
		if (innermost)
			add_self(making, &places[i]);
		if (has_place(&making->row, i))
			continue;
		add_place(making, i, &places[i]);
		if (making->row.inlined)
			add_site(&making->row, function, places[i].samples);
	}
}

static size_t add_address(struct row_maker *maker, size_t first)
{
	const struct place *places = maker->profile->places, *at = &places[first];
	struct object *object = &maker->profile->objects[at->object];
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, at->address, frames), i;
	struct function function = *symbols_function(object, at->address);
	size_t end = end_of_address(maker->profile, first);

	for (i = 0; i < n; i++) {
		struct row_making *making = row_maker_find(
			maker, at->object, &function, &frames[i], i + 1 < n);

		add_frame(making, places, first, end, &function, i == 0);
	}
	return end;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return compare_numbers(y->ns, x->ns) ?:
	       compare_numbers(y->total_ns, x->total_ns) ?:
	       strcmp(x->name, y->name) ?: functions_compare_rows(x, y);
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return compare_numbers(y->samples, x->samples) ?: strcmp(x->name, y->name);
}

/* Sorts the rows. Returns the new index of each; the caller frees it. */
static uint32_t *sort_rows(struct functions *functions)
{
	uint32_t *to = allocate(functions->n * sizeof(*to));
	size_t i;

	qsort(functions->rows, functions->n, sizeof(*functions->rows),
	      compare_rows);
	for (i = 0; i < functions->n; i++)
		to[functions->rows[i].number] = (uint32_t)i;
	return to;
}

static void take_row(struct row *row, const struct row_making *making,
		     const struct profile *profile)
{
	*row = making->row;
	if (!row->samples && row->nplaces)
		row->hottest = profile->places[row->places[0]].address;
	if (row->nsites)
		qsort(row->sites, row->nsites, sizeof(*row->sites),
		      compare_sites);
}

void functions_of_places(struct functions *functions, struct profile *profile)
{
	struct row_maker maker = { .profile = profile };
	struct nodes_by_place sorted;
	uint32_t *to;
	size_t i = 0;

	frames_of_stacks_begin(&sorted, profile);
	while (i < profile->nplaces)
		i = add_address(&maker, i);
	frames_of_stacks_end(&sorted, &functions->frames, &maker);
	functions->rows = allocate(maker.n * sizeof(*functions->rows));
	functions->n = maker.n;
	for (i = 0; i < maker.n; i++)
		take_row(&functions->rows[i], maker.list[i], profile);
	row_maker_end(&maker);
	to = sort_rows(functions);
	stack_frames_renumber(&functions->frames, to);
	free(to);
}
