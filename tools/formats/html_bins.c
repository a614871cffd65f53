// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_bins.h"
#include "common/compare.h"
#include "common/memory.h"
#include "formats/html_function.h"

#include <stdlib.h>
#include <string.h>

#define BINS_MOST	8192
#define LANES_MOST	1000
#define NARROWEST_NS	1000000
#define SPREAD_MOST	2000000	/* bins over which all moments are spread */
#define PROCESSES_MOST	200	/* more are grouped by name */

/* --- groups: processes or, if there are many, names of processes ------------------ */

bool html_bins_by_name(const struct profile *profile)
{
	return profile->nprocesses > PROCESSES_MOST;
}

static size_t group_of(const struct profile *profile, uint32_t process)
{
	return html_bins_by_name(profile) ?
		       profile->processes[process].command :
		       process;
}

size_t html_bins_groups(const struct profile *profile)
{
	return html_bins_by_name(profile) ? profile->ncommands :
					      profile->nprocesses;
}

/* --- lanes ------------------------------------------------------------------------- */

/* What threads in one lane have in common. */
enum likeness { LIKE_ITSELF, LIKE_NAME, LIKE_PROCESS, NLIKENESSES };

struct lane_key {
	uint32_t	thread;
	uint32_t	group;
	uint64_t	period_ns;
	const char	*name;
	bool		itself;
};

static struct lane_key key_of(const struct profile *profile, size_t i,
			      enum likeness likeness)
{
	const struct thread *thread = &profile->stacks.threads[i];

	return (struct lane_key){
		.thread = (uint32_t)i,
		.group = (uint32_t)group_of(profile, thread->process),
		.period_ns = profile->processes[thread->process].period_ns,
		.name = likeness <= LIKE_NAME && thread->name ? thread->name : "",
		.itself = likeness == LIKE_ITSELF,
	};
}

static int compare_keys(const void *a, const void *b)
{
	const struct lane_key *x = a, *y = b;

	return compare_numbers(x->group, y->group) ?:
	       compare_numbers(x->period_ns, y->period_ns) ?:
	       strcmp(x->name, y->name) ?:
	       (x->itself ? compare_numbers(x->thread, y->thread) : 0);
}

static void add_lane(struct html_bins *bins, const struct lane_key *key)
{
	ensure(bins->lanes, bins->nlanes, bins->lanes_room);
	bins->lanes[bins->nlanes++] = (struct html_lane){
		.group = key->group, .thread = key->thread,
		.period_ns = key->period_ns,
	};
}

/* Sorts threads with samples into lanes. Sets @lane_of for each thread. */
static void find_lanes(struct html_bins *bins, const struct profile *profile,
		       enum likeness likeness, uint32_t *lane_of)
{
	const struct stacks *stacks = &profile->stacks;
	struct lane_key *keys = allocate(stacks->nthreads * sizeof(*keys));
	size_t n = 0, i;

	bins->nlanes = 0;
	for (i = 0; i < stacks->nthreads; i++)
		if (stacks->threads[i].samples)
			keys[n++] = key_of(profile, i, likeness);
	if (n)
		qsort(keys, n, sizeof(*keys), compare_keys);
	for (i = 0; i < n; i++) {
		if (!i || compare_keys(&keys[i - 1], &keys[i]))
			add_lane(bins, &keys[i]);
		lane_of[keys[i].thread] = (uint32_t)bins->nlanes - 1;
		bins->lanes[bins->nlanes - 1].threads++;
	}
	free(keys);
}

static uint32_t *make_lanes(struct html_bins *bins,
			    const struct profile *profile)
{
	uint32_t *lane_of = allocate(profile->stacks.nthreads * sizeof(*lane_of));
	enum likeness likeness = LIKE_ITSELF;

	do
		find_lanes(bins, profile, likeness++, lane_of);
	while (bins->nlanes > LANES_MOST && likeness < NLIKENESSES);
	return lane_of;
}

/* --- entries ----------------------------------------------------------------------- */

static void add_entry(struct html_bins *bins, uint32_t lane, uint64_t bin,
		      uint32_t call, uint64_t samples)
{
	if (!samples)
		return;
	ensure(bins->entries, bins->n, bins->room);
	bins->entries[bins->n++] =
		(struct html_bin){ lane, (uint32_t)bin, call, samples };
}

static uint64_t bin_of(const struct html_bins *bins, uint64_t time_ns)
{
	return 1 + (time_ns - bins->start_ns) / bins->width_ns;
}

static uint64_t end_of(const struct moment *moment)
{
	uint64_t end;

	return __builtin_add_overflow(moment->time_ns, moment->span_ns, &end) ?
		UINT64_MAX : end;
}

/* Spreads the samples of a moment evenly over its span. */
static void add_moment(struct html_bins *bins, const struct moment *moment,
		       uint32_t lane, uint32_t call)
{
	uint64_t bin = bin_of(bins, moment->time_ns), before = 0;
	uint64_t last = bin_of(bins, end_of(moment));

	/* Limits the time for files that were made to take very long. */
	if (last - bin > bins->spread) {
		bins->crowded = true;
		last = bin;
	}
	bins->spread -= last - bin;
	for (; bin < last; bin++) {
		uint64_t until = bins->start_ns + bin * bins->width_ns;
		double part = (double)(until - moment->time_ns) /
			      (double)moment->span_ns;
		uint64_t sum = (uint64_t)(part * (moment->samples - 1.0)) + 1;

		if (sum > moment->samples)
			sum = moment->samples;
		add_entry(bins, lane, bin, call, sum - before);
		before = sum;
	}
	add_entry(bins, lane, last, call, moment->samples - before);
}

/* Adds the samples that are in no moment, so without a time. */
static void add_timeless(struct html_bins *bins, const struct report *report,
			 const uint32_t *numbers, const uint32_t *lane_of)
{
	const struct stacks *stacks = &report->profile->stacks;
	uint64_t *known = allocate(stacks->ncounts * sizeof(*known));
	size_t i;

	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		known[stacks_find_count(stacks, moment->node, moment->thread) -
		      stacks->counts] += moment->samples;
	}
	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];

		if (known[i] < count->samples)
			add_entry(bins, lane_of[count->thread], 0,
				  numbers[report->calls.of_node[count->node]],
				  count->samples - known[i]);
	}
	free(known);
}

static int compare_entries(const void *a, const void *b)
{
	const struct html_bin *x = a, *y = b;

	return compare_numbers(x->lane, y->lane) ?:
	       compare_numbers(x->bin, y->bin) ?:
	       compare_numbers(x->call, y->call);
}

static void merge(struct html_bins *bins)
{
	struct html_bin *entries = bins->entries;
	size_t i, n = 0;

	if (!bins->n)
		return;
	qsort(entries, bins->n, sizeof(*entries), compare_entries);
	for (i = 1; i < bins->n; i++) {
		if (compare_entries(&entries[n], &entries[i]))
			entries[++n] = entries[i];
		else
			entries[n].samples += entries[i].samples;
	}
	bins->n = n + 1;
}

/* --- time -------------------------------------------------------------------------- */

/* The next width in the row 1, 2, 5, 10, 20..., which makes times readable. */
static uint64_t next_width(uint64_t width)
{
	uint64_t unit = 1;

	while (unit <= width / 10)
		unit *= 10;
	return width < 2 * unit ? 2 * unit : width < 5 * unit ? 5 * unit :
		10 * unit;
}

/* The zero of --from, or the first moment if that is earlier. */
static uint64_t start_of(const struct profile *profile)
{
	const struct process *first = profile_first(profile);
	const struct stacks *stacks = &profile->stacks;

	if (!stacks->nmoments)
		return 0;
	return first->started_ns < stacks->moments[0].time_ns ?
		first->started_ns : stacks->moments[0].time_ns;
}

static void fill(struct html_bins *bins, const struct report *report,
		 const uint32_t *numbers)
{
	const struct stacks *stacks = &report->profile->stacks;
	uint32_t *lane_of = make_lanes(bins, report->profile);
	uint64_t end = 0;
	size_t i;

	bins->n = 0;
	bins->spread = SPREAD_MOST;
	bins->crowded = false;
	bins->start_ns = start_of(report->profile);
	for (i = 0; i < stacks->nmoments; i++)
		if (end_of(&stacks->moments[i]) > end)
			end = end_of(&stacks->moments[i]);
	while (stacks->nmoments && bin_of(bins, end) > BINS_MOST)
		bins->width_ns = next_width(bins->width_ns);
	bins->count = stacks->nmoments ? (uint32_t)bin_of(bins, end) : 0;
	for (i = 0; i < stacks->nmoments; i++)
		add_moment(bins, &stacks->moments[i],
			   lane_of[stacks->moments[i].thread],
			   numbers[report->calls.of_node[stacks->moments[i].node]]);
	add_timeless(bins, report, numbers, lane_of);
	free(lane_of);
	merge(bins);
}

void html_bins_make(struct html_bins *bins, const struct report *report,
		    const uint32_t *numbers)
{
	*bins = (struct html_bins){ .width_ns = NARROWEST_NS };
	fill(bins, report, numbers);
}

void html_bins_widen(struct html_bins *bins, const struct report *report,
		     const uint32_t *numbers)
{
	bins->width_ns = next_width(bins->width_ns);
	fill(bins, report, numbers);
}

void html_bins_free(struct html_bins *bins)
{
	free(bins->lanes);
	free(bins->entries);
	*bins = (struct html_bins){ 0 };
}
