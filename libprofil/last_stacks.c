// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "last_stacks.h"

#include <search.h>
#include <stdlib.h>

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
	struct last_stack *new, **found;

	if (stacks->latest && stacks->latest->thread == thread)
		return stacks->latest;
	found = tfind(&wanted, &stacks->tree, compare_threads);
	if (found)
		return stacks->latest = *found;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->thread = thread;
	if (!tsearch(new, &stacks->tree, compare_threads)) {
		free(new);
		return NULL;
	}
	return stacks->latest = new;
}

/* The stream's rule: a stack of one frame does not replace the last one. */
bool libprofil_last_stacks_remember(struct last_stack *last, const uint64_t *frame,
				    uint32_t n)
{
	uint64_t *more;
	uint32_t i;

	if (n < 2)
		return true;
	if (n > last->nframes) {
		more = realloc(last->frame, n * sizeof(*more));
		if (!more)
			return false;
		last->frame = more;
	}
	for (i = 0; i < n; i++)
		last->frame[i] = frame[n - 1 - i];
	last->nframes = n;
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
