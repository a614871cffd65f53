// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_bins.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/sort_keys.h"
#include "formats/html_function.h"
#include "profile/worker.h"

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

struct entries {
	struct html_bin	*list;
	size_t		n, room;
};

/* The entries of some moments are merged in a thread, while those of the next are added. */
struct filling {
	struct html_bins *bins;		/* the thread adds to their entries */
	struct entries	added;
	struct entries	merged;		/* by the thread */
	struct worker	worker;
};

static void add_entry(struct filling *filling, uint32_t lane, uint64_t bin,
		      uint32_t call, uint64_t samples)
{
	struct entries *added = &filling->added;

	if (!samples)
		return;
	ensure(added->list, added->n, added->room);
	added->list[added->n++] =
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
static void add_moment(struct filling *filling, const struct moment *moment,
		       uint32_t lane, uint32_t call)
{
	struct html_bins *bins = filling->bins;
	uint64_t bin = bin_of(bins, moment->time_ns), before = 0;
	uint64_t last = moment->span_ns ? bin_of(bins, end_of(moment)) : bin;

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
		add_entry(filling, lane, bin, call, sum - before);
		before = sum;
	}
	add_entry(filling, lane, last, call, moment->samples - before);
}

/* Adds the samples that are in no moment, so without a time. */
static void add_timeless(struct filling *filling, const struct report *report,
			 const uint32_t *numbers, const uint32_t *lane_of)
{
	const struct stacks *stacks = &report->profile->stacks;
	uint64_t *known, all = 0;
	size_t i;

	for (i = 0; i < stacks->nmoments; i++)
		all += stacks->moments[i].samples;
	if (all == report->profile->samples)
		return;
	known = allocate(stacks->ncounts * sizeof(*known));
	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		known[stacks_find_count(stacks, moment->node, moment->thread) -
		      stacks->counts] += moment->samples;
	}
	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];

		if (known[i] < count->samples)
			add_entry(filling, lane_of[count->thread], 0,
				  numbers[report->calls.of_node[count->node]],
				  count->samples - known[i]);
	}
	free(known);
}

static bool is_same_entry(const struct html_bin *x, const struct html_bin *y)
{
	return x->lane == y->lane && x->bin == y->bin && x->call == y->call;
}

static uint64_t key_in_lane(const struct html_bin *entry)
{
	return (uint64_t)entry->bin << 32 | entry->call;
}

static bool are_sorted(const struct html_bin *list, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (list[i - 1].lane > list[i].lane || (list[i - 1].lane == list[i].lane &&
		    key_in_lane(&list[i - 1]) >= key_in_lane(&list[i])))
			return false;
	return true;
}

/* Sorts and merges entries. Returns how many are left. */
static size_t merge(struct html_bin *list, size_t n)
{
	struct sort_key *keys;
	size_t last = 0, i;

	if (are_sorted(list, n))
		return n;
	keys = sort_keys_make(n);
	sort_keys_by(keys, n, j, key_in_lane(&list[j]));
	sort_keys_by(keys, n, j, list[j].lane);
	sort_keys_apply(keys, list, n, sizeof(*list));
	for (i = 1; i < n; i++) {
		if (is_same_entry(&list[last], &list[i]))
			list[last].samples += list[i].samples;
		else
			list[++last] = list[i];
	}
	return last + 1;
}

static void *merge_part(void *context)
{
	struct filling *filling = context;
	struct html_bins *bins = filling->bins;
	struct entries *part = &filling->merged;

	part->n = merge(part->list, part->n);
	if (!part->n)
		return NULL;
	ensure(bins->entries, bins->n + part->n - 1, bins->room);
	memcpy(bins->entries + bins->n, part->list, part->n * sizeof(*part->list));
	bins->n += part->n;
	part->n = 0;
	return NULL;
}

static void begin_merging(struct filling *filling)
{
	struct entries empty;

	worker_end(&filling->worker);
	empty = filling->merged;
	filling->merged = filling->added;
	filling->added = empty;
	worker_begin(&filling->worker, merge_part, filling);
}

static void end_merging(struct filling *filling)
{
	begin_merging(filling);
	worker_end(&filling->worker);
	free(filling->added.list);
	free(filling->merged.list);
	filling->bins->n = merge(filling->bins->entries, filling->bins->n);
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

/* From the zero of --from, or the first moment if that is earlier. */
static void find_range(struct html_bins *bins, const struct profile *profile)
{
	const struct stacks *stacks = &profile->stacks;
	size_t i;

	bins->start_ns = stacks->nmoments ? profile_first(profile)->started_ns : 0;
	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		if (moment->time_ns < bins->start_ns)
			bins->start_ns = moment->time_ns;
		if (end_of(moment) > bins->end_ns)
			bins->end_ns = end_of(moment);
	}
}

/* Makes bins so wide that there are not too many, and finds the last one. */
static void find_width(struct html_bins *bins, const struct stacks *stacks)
{
	while (stacks->nmoments && bin_of(bins, bins->end_ns) > BINS_MOST)
		bins->width_ns = next_width(bins->width_ns);
	bins->count = stacks->nmoments ? (uint32_t)bin_of(bins, bins->end_ns) : 0;
}

/* --- moments ------------------------------------------------------------------------ */

static uint32_t process_of(const struct stacks *stacks, size_t moment)
{
	return stacks->threads[stacks->moments[moment].thread].process;
}

/* Whether moments are by process, and those of each thread by time: so files have them. */
static bool are_by_process(const struct stacks *stacks)
{
	uint64_t *last = allocate(stacks->nthreads * sizeof(*last));
	bool are = true;
	size_t i;

	for (i = 0; i < stacks->nmoments && are; i++) {
		const struct moment *moment = &stacks->moments[i];

		are = moment->time_ns >= last[moment->thread] &&
		      (!i || process_of(stacks, i) >= process_of(stacks, i - 1));
		last[moment->thread] = moment->time_ns;
	}
	free(last);
	return are;
}

/* The end of the moments of a process, from @first on; of all, if they are by time. */
static size_t end_of_process(const struct stacks *stacks, size_t first)
{
	size_t i = first + 1;

	while (i < stacks->nmoments &&
	       (stacks->sorted || process_of(stacks, i) == process_of(stacks, first)))
		i++;
	return i;
}

#define CHUNK	1000000	/* entries to merge at once: those of a time are few */
#define FEW	32768	/* of a process; so many fit into a CPU's cache */

/* Whether the entries of the moments up to @i may be merged. */
static bool is_chunk(const struct stacks *stacks, size_t i, size_t n)
{
	if (stacks->sorted || i + 1 == stacks->nmoments)
		return n >= CHUNK;
	return n >= FEW && process_of(stacks, i) != process_of(stacks, i + 1);
}

static void fill_once(struct html_bins *bins, const struct report *report,
		      const uint32_t *numbers)
{
	struct stacks *stacks = &report->profile->stacks;
	uint32_t *lane_of = make_lanes(bins, report->profile);
	struct filling filling = { .bins = bins };
	size_t i;

	bins->n = 0;
	bins->spread = SPREAD_MOST;
	bins->crowded = false;
	find_width(bins, stacks);
	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		add_moment(&filling, moment, lane_of[moment->thread],
			   numbers[report->calls.of_node[moment->node]]);
		if (is_chunk(stacks, i, filling.added.n))
			begin_merging(&filling);
	}
	add_timeless(&filling, report, numbers, lane_of);
	end_merging(&filling);
	free(lane_of);
}

/* The order of moments decides about spans that are too many, if these stay. */
static void fill(struct html_bins *bins, const struct report *report,
		 const uint32_t *numbers)
{
	struct stacks *stacks = &report->profile->stacks;

	fill_once(bins, report, numbers);
	if (!bins->crowded || bins->count > HTML_BINS_FEWEST || stacks->sorted)
		return;
	stacks_sort_moments(stacks);
	fill_once(bins, report, numbers);
}

/* --- the width ---------------------------------------------------------------------- */

/* At least how many entries there are if bins are @ratio times as wide. */
static size_t count_entries(const struct sort_key *keys, size_t n, double ratio)
{
	uint32_t last = 0;
	size_t entries = 0, i;

	for (i = 0; i < n; i++) {
		uint32_t bin = (uint32_t)(keys[i].index / ratio);

		entries += !i || keys[i].key != keys[i - 1].key || bin != last;
		last = bin;
	}
	return entries;
}

/* The number of the first bin of moments, by thread and call, and then by time. */
static void sort_moments(const struct html_bins *bins, const struct report *report,
			 const uint32_t *numbers, size_t first, size_t end,
			 struct sort_key *keys)
{
	size_t i;

	for (i = first; i < end; i++) {
		const struct moment *moment = &report->profile->stacks.moments[i];

		keys[i - first].key = (uint64_t)moment->thread << 32 |
				      numbers[report->calls.of_node[moment->node]];
		keys[i - first].index = (uint32_t)bin_of(bins, moment->time_ns) - 1;
	}
	sort_keys(keys, end - first);
}

/* Whether there are more than @most entries if bins are so wide. */
static bool is_too_many(const struct html_bins *bins, const struct report *report,
			const uint32_t *numbers, size_t most, uint64_t width_ns)
{
	const struct stacks *stacks = &report->profile->stacks;
	double ratio = (double)width_ns / (double)bins->width_ns;
	size_t entries = 0, first, end;

	for (first = 0; first < stacks->nmoments && entries <= most; first = end) {
		struct sort_key *keys;

		end = end_of_process(stacks, first);
		keys = allocate((end - first) * sizeof(*keys));
		sort_moments(bins, report, numbers, first, end, keys);
		entries += count_entries(keys, end - first, ratio);
		free(keys);
	}
	return entries > most;
}

/* Leaves widths out that have more than @most entries, before they are made. */
static void leave_out(struct html_bins *bins, const struct report *report,
		      const uint32_t *numbers, size_t most)
{
	const struct stacks *stacks = &report->profile->stacks;
	struct html_bins wide = *bins;

	if (stacks->nmoments <= most)
		return;
	while (wide.count > HTML_BINS_FEWEST &&
	       is_too_many(bins, report, numbers, most, wide.width_ns)) {
		wide.width_ns = next_width(wide.width_ns);
		find_width(&wide, stacks);
	}
	*bins = wide;
}

void html_bins_make(struct html_bins *bins, const struct report *report,
		    const uint32_t *numbers, size_t most)
{
	struct stacks *stacks = &report->profile->stacks;

	*bins = (struct html_bins){ .width_ns = NARROWEST_NS };
	if (!are_by_process(stacks))
		stacks_sort_moments(stacks);
	find_range(bins, report->profile);
	find_width(bins, stacks);
	leave_out(bins, report, numbers, most);
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
