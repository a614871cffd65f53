// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Moments are sorted by time. This sorts them by thread and keeps their order. A
 * thread whose times are unknown has counts only.
 */
#include "content/timeline.h"
#include "common/compare.h"
#include "common/memory.h"

#include <stdlib.h>

/* The entries of a thread, and the index of its next one. */
struct thread_room {
	size_t	moments, counts, at;
};

static int compare_threads(const void *a, const void *b, void *context)
{
	const struct thread *threads = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	return compare_numbers(threads[j].ns, threads[i].ns) ?: compare_numbers(i, j);
}

/* Threads with the most time first. The caller frees it. */
static uint32_t *sort_threads(const struct stacks *stacks)
{
	uint32_t *sorted = allocate(stacks->nthreads * sizeof(*sorted));
	size_t i;

	for (i = 0; i < stacks->nthreads; i++)
		sorted[i] = (uint32_t)i;
	qsort_r(sorted, stacks->nthreads, sizeof(*sorted), compare_threads,
		stacks->threads);
	return sorted;
}

static struct thread_room *find_rooms(const struct stacks *stacks)
{
	struct thread_room *rooms = allocate(stacks->nthreads * sizeof(*rooms));
	uint32_t *sorted = sort_threads(stacks);
	size_t i, at = 0;

	for (i = 0; i < stacks->nmoments; i++)
		rooms[stacks->moments[i].thread].moments++;
	for (i = 0; i < stacks->ncounts; i++)
		rooms[stacks->counts[i].thread].counts++;
	for (i = 0; i < stacks->nthreads; i++) {
		struct thread_room *room = &rooms[sorted[i]];

		room->at = at;
		at += room->moments ? room->moments : room->counts;
	}
	free(sorted);
	return rooms;
}

static void place_all(struct timeline *timeline, const struct stacks *stacks,
		      struct thread_room *rooms)
{
	size_t i;

	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		timeline->list[rooms[moment->thread].at++] = (struct stretch){
			moment->thread, moment->node, moment->samples
		};
		timeline->n++;
	}
	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];

		if (rooms[count->thread].moments)
			continue;
		timeline->list[rooms[count->thread].at++] = (struct stretch){
			count->thread, count->node, count->samples
		};
		timeline->n++;
	}
}

static void merge(struct timeline *timeline)
{
	struct stretch *list = timeline->list;
	size_t i, n = 0;

	for (i = 0; i < timeline->n; i++) {
		if (n && list[n - 1].thread == list[i].thread &&
		    list[n - 1].node == list[i].node)
			list[n - 1].samples += list[i].samples;
		else
			list[n++] = list[i];
	}
	timeline->n = n;
}

void timeline_make(struct timeline *timeline, struct profile *profile)
{
	struct stacks *stacks = &profile->stacks;
	struct thread_room *rooms = find_rooms(stacks);
	size_t most = stacks->nmoments + stacks->ncounts;

	stacks_sort_moments(stacks);
	*timeline = (struct timeline){ allocate(most * sizeof(struct stretch)), 0 };
	place_all(timeline, stacks, rooms);
	merge(timeline);
	free(rooms);
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->list);
}

uint64_t timeline_period(const struct profile *profile,
			 const struct stretch *stretch)
{
	uint32_t process = profile->stacks.threads[stretch->thread].process;

	return profile->processes[process].period_ns;
}
