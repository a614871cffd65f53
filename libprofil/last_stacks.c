// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "last_stacks.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare_threads(const void *a, const void *b)
{
	uint32_t x = ((const struct last_stack *)a)->thread;
	uint32_t y = ((const struct last_stack *)b)->thread;

	return x < y ? -1 : x > y;
}

struct last_stack *libprofil_last_stacks_of(struct last_stacks *stacks,
					    uint32_t thread)
{
	const struct last_stack wanted = { .thread = thread };
	struct last_stack **recent = &stacks->recent[thread % LAST_STACKS_RECENT];
	struct last_stack *last = *recent, *new, **found;

	if (last && last->thread == thread)
		return last;
	found = tfind(&wanted, &stacks->tree, compare_threads);
	if (found)
		return *recent = *found;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->thread = thread;
	if (!tsearch(new, &stacks->tree, compare_threads)) {
		free(new);
		return NULL;
	}
	return *recent = new;
}

bool libprofil_last_stacks_reserve(struct last_stack *last, uint32_t n)
{
	uint64_t *more;

	if (n <= last->room)
		return true;
	more = malloc(n * sizeof(*more));
	if (!more)
		return false;
	if (last->nframes)
		memcpy(more + n - last->nframes, last->frame + last->room - last->nframes,
		       last->nframes * sizeof(*more));
	free(last->frame);
	last->frame = more;
	last->room = n;
	return true;
}

static void free_last(void *last)
{
	free(((struct last_stack *)last)->frame);
	free(last);
}

void libprofil_last_stacks_free(struct last_stacks *stacks)
{
	tdestroy(stacks->tree, free_last);
	*stacks = (struct last_stacks){ 0 };
}
