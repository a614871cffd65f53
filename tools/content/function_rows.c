// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/function_rows.h"
#include "common/memory.h"
#include "object/frames.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A row that is being filled. */
struct making {
	struct row	row;
	uint64_t	at, here;	/* samples at the last address */
	uint64_t	most;		/* at the hottest one */
};

struct maker {
	struct profile	*profile;
	void		*index;		/* tsearch() tree of struct making */
	struct making	**list;
	size_t		n, room;
};

static int compare_text(const char *x, const char *y)
{
	if (!x || !y)
		return x ? 1 : y ? -1 : 0;
	return strcmp(x, y);
}

static int compare_number(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

static int compare_lines(const struct line *x, const struct line *y)
{
	int order = compare_text(x->file, y->file);

	return order ? order : compare_number((uint64_t)x->number,
					      (uint64_t)y->number);
}

/* Functions are told apart by their code, inlined ones by their source. */
static int compare_identity(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = compare_number(x->object, y->object);

	if (!order)
		order = compare_number(x->inlined, y->inlined);
	if (!order)
		order = compare_number(x->start, y->start);
	if (order || !x->inlined)
		return order;
	order = compare_lines(&x->declared, &y->declared);
	return order ? order : strcmp(x->name, y->name);
}

static struct making *find_row(struct maker *maker, const struct row *wanted)
{
	struct making *making = allocate(sizeof(*making)), **found;

	making->row = *wanted;
	found = tsearch(making, &maker->index, compare_identity);
	if (!found)
		out_of_memory();
	if (*found != making) {
		free(making);
		return *found;
	}
	ensure(maker->list, maker->n, maker->room);
	maker->list[maker->n++] = making;
	return making;
}

/* Frames are innermost first, and only the last one is not inlined. */
static struct row identity(const struct place *place,
			   const struct function *function,
			   const struct frame *frame, bool inlined)
{
	struct row row = {
		.object = place->object, .name = frame->name, .inlined = inlined,
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

static void add_site(struct row *row, const struct function *function,
		     uint64_t samples)
{
	struct site *site = NULL;

	/* Places come in the order of addresses: it is the last one or none. */
	if (row->nsites)
		site = &row->sites[row->nsites - 1];
	if (!site || site->start != function->start) {
		ensure(row->sites, row->nsites, row->sites_room);
		site = &row->sites[row->nsites++];
		*site = (struct site){ function->name, function->start,
				       function->end, 0 };
	}
	site->samples += samples;
}

static void add_place(struct making *making, size_t index,
		      const struct place *place)
{
	struct row *row = &making->row;

	ensure(row->places, row->nplaces, row->places_room);
	row->places[row->nplaces++] = index;
	row->total += place->samples;
	row->total_ns += place->ns;
}

static void add_self(struct making *making, const struct place *place)
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

/* A function that is inlined into itself has the place once. */
static bool has_place(const struct row *row, size_t index)
{
	return row->nplaces && row->places[row->nplaces - 1] >= index;
}

/* Places are sorted: those of one address are next to each other. */
static size_t end_of_address(const struct profile *profile, size_t first)
{
	const struct place *places = profile->places;
	size_t i = first;

	while (i < profile->nplaces && places[i].object == places[first].object &&
	       places[i].address == places[first].address)
		i++;
	return i;
}

static void add_frame(struct making *making, const struct place *places,
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

static size_t add_address(struct maker *maker, size_t first)
{
	const struct place *places = maker->profile->places, *at = &places[first];
	struct object *object = &maker->profile->objects[at->object];
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, at->address, frames), i;
	struct function function = *symbols_function(object, at->address);
	size_t end = end_of_address(maker->profile, first);

	for (i = 0; i < n; i++) {
		struct row row = identity(at, &function, &frames[i], i + 1 < n);

		add_frame(find_row(maker, &row), places, first, end, &function,
			  i == 0);
	}
	return end;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = compare_number(y->ns, x->ns);

	if (!order)
		order = compare_number(y->total_ns, x->total_ns);
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : compare_identity(x, y);
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	int order = compare_number(y->samples, x->samples);

	return order ? order : strcmp(x->name, y->name);
}

static void ignore(void *node)
{
	(void)node;
}

void functions_make(struct functions *functions, struct profile *profile)
{
	struct maker maker = { .profile = profile };
	size_t i = 0;

	while (i < profile->nplaces)
		i = add_address(&maker, i);
	tdestroy(maker.index, ignore);
	functions->rows = allocate(maker.n * sizeof(*functions->rows));
	functions->n = maker.n;
	for (i = 0; i < maker.n; i++) {
		struct row *row = &functions->rows[i];

		*row = maker.list[i]->row;
		if (!row->samples)
			row->hottest = profile->places[row->places[0]].address;
		if (row->nsites)
			qsort(row->sites, row->nsites, sizeof(*row->sites),
			      compare_sites);
		free(maker.list[i]);
	}
	free(maker.list);
	qsort(functions->rows, functions->n, sizeof(*functions->rows),
	      compare_rows);
}

void functions_free(struct functions *functions)
{
	size_t i;

	for (i = 0; i < functions->n; i++) {
		free(functions->rows[i].places);
		free(functions->rows[i].sites);
	}
	free(functions->rows);
	*functions = (struct functions){ NULL };
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
