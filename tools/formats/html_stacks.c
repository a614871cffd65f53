// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The data of stacks in the page, for html_stacks.js:
 *
 *	"width": width of a bin of time, in microseconds
 *	"bins": number of bins
 *	"functions": [name, object, inlined] of each function without samples of its own.
 *		Their numbers follow those of the functions of the table. The number after the
 *		last one stands for omitted calls, see html_tree.h
 *	"least": calls with fewer samples are omitted
 *	"tree": packed: the number of calls, then for each call, in the order of
 *		call_tree.h: the number of levels from a callee of the previous call up
 *		to this call, and the function
 *	"before": with --diff, packed: the time of the earlier profile, then of each call
 *		there, in units of 10 us; a run's, if there are several. Calls with the
 *		same names share it in the ratio of their times now
 *	"earlier": then also [name, name of its object, inlined, ns] of each function of
 *		the earlier profile
 *	"phases": [process, start in microseconds since that of bin 1, name], in the order
 *		of a process's time; "": none
 *	"threads": for each lane "process", "name", "tid" or "threads" (their number),
 *		"period" (ns of a sample), and "samples"
 *
 * "samples" is packed: the number of bins with samples, the number of entries in all
 * bins, then for each bin: the distance from the previous bin, the number of entries,
 * then for each entry, in the order of calls: twice the distance from the previous
 * call, plus 1 if it has several samples, and in that case their number minus 2.
 *
 * Bins and calls are numbered from 1; samples in bin 0 have no time. varints.h
 * describes how numbers are packed. Bins become wider until the samples take at most
 * SAMPLES_MOST bytes, or only few bins are left.
 */
#include "formats/html_stacks.h"
#include "common/memory.h"
#include "content/merged_calls.h"
#include "formats/html_bins.h"
#include "formats/html_tree.h"
#include "formats/html_value.h"

#include <inttypes.h>
#include <stdlib.h>

#define SAMPLES_MOST	2000000	/* bytes, before base64 */
#define ENTRY_BYTES	2	/* of most entries, if there are many */
#define NO_NUMBER	UINT32_MAX

/* --- the samples of lanes ------------------------------------------------------------ */

static void add_entry(struct varints *packed, uint32_t distance,
		      uint64_t samples)
{
	varints_add(packed, 2 * (uint64_t)distance + (samples > 1));
	if (samples > 1)
		varints_add(packed, samples - 2);
}

/* Adds the bin of entries @first to @end. */
static void add_bin(struct varints *packed, const struct html_bin *entries,
		    size_t first, size_t end)
{
	uint32_t call = 0;
	size_t i;

	varints_add(packed, end - first);
	for (i = first; i < end; i++) {
		add_entry(packed, entries[i].call - call, entries[i].samples);
		call = entries[i].call;
	}
}

/* Adds the lane that begins at entry *@at, and moves *@at to the next lane. */
static void add_lane(struct varints *packed, const struct html_bins *bins,
		     size_t *at)
{
	const struct html_bin *entries = bins->entries;
	struct varints list = { 0 };
	size_t first = *at, i = first, nbins = 0;
	uint32_t lane = entries[first].lane, bin = 0;

	while (i < bins->n && entries[i].lane == lane) {
		size_t begin = i;

		while (i < bins->n && entries[i].lane == lane &&
		       entries[i].bin == entries[begin].bin)
			i++;
		varints_add(&list, entries[begin].bin - bin);
		bin = entries[begin].bin;
		add_bin(&list, entries, begin, i);
		nbins++;
	}
	varints_add(packed, nbins);
	varints_add(packed, i - first);
	varints_append(packed, list.bytes, list.n);
	varints_free(&list);
	*at = i;
}

/* Each lane has samples. */
static struct varints *pack_lanes(const struct html_bins *bins,
				      size_t *size)
{
	struct varints *lanes = allocate(bins->nlanes * sizeof(*lanes));
	size_t at = 0, i;

	*size = 0;
	for (i = 0; i < bins->nlanes; i++) {
		add_lane(&lanes[i], bins, &at);
		*size += lanes[i].n;
	}
	return lanes;
}

static void free_lanes(struct varints *lanes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		varints_free(&lanes[i]);
	free(lanes);
}

static struct varints *fit_lanes(struct html_bins *bins,
				     const struct report *report,
				     const uint32_t *numbers)
{
	struct varints *lanes;
	size_t size;

	html_bins_make(bins, report, numbers, SAMPLES_MOST / ENTRY_BYTES);
	lanes = pack_lanes(bins, &size);
	while ((size > SAMPLES_MOST || bins->crowded) && bins->count > HTML_BINS_FEWEST) {
		free_lanes(lanes, bins->nlanes);
		html_bins_widen(bins, report, numbers);
		lanes = pack_lanes(bins, &size);
	}
	return lanes;
}

static void write_lane(const struct html_lane *lane,
		       const struct varints *samples,
		       const struct stacks *stacks, FILE *out)
{
	const struct thread *thread = &stacks->threads[lane->thread];

	fprintf(out, "{\"process\":%" PRIu32 ",\"name\":", lane->group);
	html_value_json(json_string(thread->name ? thread->name : ""), out);
	fprintf(out, ",\"%s\":%" PRIu32 ",\"period\":%" PRIu64 ",\"samples\":",
		lane->threads > 1 ? "threads" : "tid",
		lane->threads > 1 ? lane->threads : thread->id, lane->period_ns);
	html_value_packed(samples, out);
	fputc('}', out);
}

#define PHASES_MOST	1000

/* The phases that begin in the time of the bins. The last of too many has no name. */
static void write_phases(const struct profile *profile, const struct html_bins *bins,
			 FILE *out)
{
	bool by_name = html_bins_by_name(profile);
	unsigned int n = 0;
	size_t i, j;

	fputs("\"phases\":[", out);
	for (i = 0; i < profile->nprocesses; i++) {
		const struct process *process = &profile->processes[i];

		for (j = 0; j < process->nphases && n < PHASES_MOST; j++) {
			const struct phase *phase = &process->phases[j];

			if (!bins->count || phase->start_ns < bins->start_ns)
				continue;
			fputs(n++ ? ",\n" : "\n", out);
			html_value_json(json_pack("[I,I,s]",
				(json_int_t)(by_name ? process->command : i),
				(json_int_t)((phase->start_ns - bins->start_ns) / 1000),
				phase->name == PHASE_NONE || n == PHASES_MOST ? "" :
				profile->phase_names[phase->name]), out);
		}
	}
	fputs("],", out);
}

static void write_lanes(const struct html_stacks *stacks, FILE *out)
{
	const struct profile *profile = stacks->report->profile;
	const struct html_bins *bins = &stacks->bins;
	size_t i;

	fprintf(out, "\"width\":%" PRIu64 ",\"bins\":%" PRIu32 ",",
		bins->width_ns / 1000, bins->count);
	write_phases(profile, bins, out);
	fputs("\"threads\":[", out);
	for (i = 0; i < bins->nlanes; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_lane(&bins->lanes[i], &stacks->lanes[i], &profile->stacks, out);
	}
	fputc(']', out);
}

/* --- the tree ------------------------------------------------------------------------- */

/* Numbers the functions: first those of the table, last that of omitted calls. */
static void number_functions(struct html_stacks *stacks, size_t n)
{
	const struct report *report = stacks->report;
	uint32_t *numbers = allocate((report->functions.n + 1) * sizeof(*numbers));
	size_t i;

	for (i = 0; i < report->functions.n; i++)
		numbers[i] = i < n ? (uint32_t)i : NO_NUMBER;
	for (i = 1; i < report->calls.n; i++) {
		uint32_t row = report->calls.calls[i].row;

		if (numbers[row] != NO_NUMBER)
			continue;
		numbers[row] = (uint32_t)(n + stacks->nothers);
		ensure(stacks->others, stacks->nothers, stacks->room);
		stacks->others[stacks->nothers++] = row;
	}
	numbers[report->functions.n] = (uint32_t)(n + stacks->nothers);
	stacks->functions = numbers;
}

static void write_functions(const struct html_stacks *stacks, FILE *out)
{
	const struct row *rows = stacks->report->functions.rows;
	size_t i;

	fputs("\"functions\":[", out);
	for (i = 0; i < stacks->nothers; i++) {
		const struct row *row = &rows[stacks->others[i]];

		fputs(i ? ",\n" : "\n", out);
		html_value_json(json_pack("[s,I,b]", row->name,
				(json_int_t)row->object, row->inlined), out);
	}
	fputs("],", out);
}

static void write_tree(const struct html_tree *tree, FILE *out)
{
	struct varints packed = { 0 };

	varints_add(&packed, tree->n);
	varints_append(&packed, tree->packed.bytes, tree->packed.n);
	fprintf(out, "\"least\":%" PRIu64 ",\"tree\":", tree->least);
	html_value_packed(&packed, out);
	varints_free(&packed);
}

#define BEFORE_NS	10000

/* The part of @before that belongs to a call with @ns of @whole now. */
static uint64_t part_of(uint64_t before, uint64_t ns, uint64_t whole)
{
	return whole ? (uint64_t)((unsigned __int128)before * ns / whole) : 0;
}

/* The earlier times of the nodes of @tree. The caller frees them. */
static uint64_t *find_before(const struct html_tree *tree, const struct call_tree *now,
			     const struct merged_calls *merged)
{
	uint64_t *times = allocate(tree->n * sizeof(*times));
	const struct call *both;
	uint32_t i, at;

	for (i = 0; i < tree->n; i++) {
		at = tree->nodes[i].call;
		both = &merged->tree.calls[merged->of_after[at]];
		if (at)
			times[i] = part_of(both->total, now->calls[at].total_ns,
					   both->total_ns);
	}
	for (i = 1; i < now->n; i++) {
		both = &merged->tree.calls[merged->of_after[i]];
		at = now->calls[i].samples ? tree->numbers[i] : 0;
		for (; at && !tree->nodes[at - 1].call; at = tree->nodes[at - 1].around)
			times[at - 1] += part_of(both->samples, now->calls[i].ns, both->ns);
	}
	return times;
}

static void write_before(const struct html_tree *tree, const struct report *report,
			 FILE *out)
{
	const uint64_t unit = (uint64_t)BEFORE_NS * report->before->profile->runs;
	struct varints packed = { 0 };
	struct merged_calls merged;
	uint64_t *times;
	uint32_t i;

	merged_calls_make(&merged, report, &report->before->calls, &report->calls);
	times = find_before(tree, &report->calls, &merged);
	varints_add(&packed, report->before->profile->ns / unit);
	for (i = 0; i < tree->n; i++)
		varints_add(&packed, times[i] / unit);
	fputs(",\"before\":", out);
	html_value_packed(&packed, out);
	free(times);
	varints_free(&packed);
	merged_calls_free(&merged);
}

/* The earlier times of functions. */
static void write_earlier(const struct report *before, FILE *out)
{
	const struct profile *profile = before->profile;
	size_t i;

	fputs(",\n\"earlier\":[", out);
	for (i = 0; i < before->functions.n && before->functions.rows[i].samples; i++) {
		const struct row *row = &before->functions.rows[i];

		fputs(i ? ",\n" : "\n", out);
		html_value_json(json_pack("[s,s,b,I]", row->name,
			profile->objects[row->object].name, row->inlined,
			(json_int_t)(row->ns / profile->runs)), out);
	}
	fputc(']', out);
}

static void *make(void *context)
{
	struct html_stacks *stacks = context;

	html_tree_make(&stacks->tree, stacks->report, stacks->functions);
	stacks->lanes = fit_lanes(&stacks->bins, stacks->report, stacks->tree.numbers);
	return NULL;
}

void html_stacks_begin(struct html_stacks *stacks, const struct report *report, size_t n)
{
	*stacks = (struct html_stacks){ .report = report };
	number_functions(stacks, n);
	worker_begin(&stacks->worker, make, stacks);
}

void html_stacks_end(struct html_stacks *stacks, FILE *out)
{
	const struct report *before = stacks->report->before;

	fputs("\"stacks\":{", out);
	write_functions(stacks, out);
	worker_end(&stacks->worker);
	write_tree(&stacks->tree, out);
	if (before && before->profile) {
		write_before(&stacks->tree, stacks->report, out);
		write_earlier(before, out);
	}
	fputs(",\n", out);
	write_lanes(stacks, out);
	fputc('}', out);
	free(stacks->functions);
	free(stacks->others);
	html_tree_free(&stacks->tree);
	free_lanes(stacks->lanes, stacks->bins.nlanes);
	html_bins_free(&stacks->bins);
}
