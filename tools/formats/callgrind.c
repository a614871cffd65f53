// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callgrind.out for callgrind_annotate and KCachegrind: a line per address, and
 * for each call from there.
 */
#include "common/clean_text.h"
#include "content/call_edges.h"
#include "content/report.h"
#include "content/titles.h"
#include "formats/formats.h"
#include "object/frames.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_places(const struct report *report, const struct row *row,
			 FILE *out)
{
	struct profile *profile = report->profile;
	struct object *object = &profile->objects[row->object];
	size_t i;

	for (i = 0; i < row->nplaces; i++) {
		const struct place *place = &profile->places[row->places[i]];
		struct line line = frames_line(object, place->address);

		/* A function has one file: lines of others are inlined calls. */
		fprintf(out, "0x%" PRIx64 " %d %" PRIu64 "\n", place->address,
			line.number, place->samples);
	}
}

/* In "cfi=" and so on of who calls it, and "fl=" of its own, it must be the same. */
static char *file_of(const struct report *report, const struct row *row)
{
	struct line line = frames_line(&report->profile->objects[row->object],
				       row->start);

	return clean_text(line.file ? line.file : "???");
}

static void write_function(const struct report *report, const struct row *row,
			   FILE *out)
{
	char *file = file_of(report, row);

	fprintf(out, "\nob=%s\nfl=%s\nfn=%s\n",
		report->profile->objects[row->object].shown, file, row->name);
	free(file);
}

/* How often it was called is not known: as often as it was seen. */
static void write_call(const struct report *report, const struct row *callee,
		       uint64_t samples, FILE *out)
{
	struct object *object = &report->profile->objects[callee->object];
	char *file = file_of(report, callee);

	fprintf(out, "cob=%s\ncfi=%s\ncfn=%s\ncalls=%" PRIu64 " 0x%" PRIx64 " %d\n",
		object->shown, file, callee->name, samples, callee->start,
		frames_line(object, callee->start).number);
	free(file);
}

static int line_of(const struct report *report, const struct call_edge *edge)
{
	const struct row *row = &report->functions.rows[edge->row];

	return frames_line(&report->profile->objects[row->object],
			   edge->address).number;
}

/*
 * Viewers take what functions are called with for what they cost, if they are
 * called at all. So what has no caller is called as well.
 */
static void write_edges(const struct report *report, FILE *out)
{
	const struct row *rows = report->functions.rows;
	struct call_edges edges;
	size_t i;

	call_edges_make(&edges, report);
	for (i = 0; i < edges.n; i++) {
		const struct call_edge *edge = &edges.list[i];
		bool is_root = edge->row == NO_ROW;

		if (is_root && (!i || edge[-1].row != NO_ROW))
			fprintf(out, "\nob=???\nfl=???\nfn=(no caller)\n");
		else if (!is_root && (!i || edge[-1].row != edge->row))
			write_function(report, &rows[edge->row], out);
		if (edge->callee != NO_ROW)
			write_call(report, &rows[edge->callee], edge->samples, out);
		fprintf(out, "0x%" PRIx64 " %d %" PRIu64 "\n", edge->address,
			is_root ? 0 : line_of(report, edge), edge->samples);
	}
	call_edges_free(&edges);
}

/* Its tree knows no inlined calls: they are in what they are inlined into. */
static void write_functions(const struct report *report, FILE *out)
{
	size_t i;

	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];

		if (row->inlined)
			continue;
		write_function(report, row, out);
		write_places(report, row, out);
	}
}

bool report_callgrind(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	const struct process *first = profile_first(profile);

	fprintf(out, "# callgrind format\nversion: 1\ncreator: profil\n");
	if (first)
		fprintf(out, "cmd: %s\n", titles_process(profile, first));
	fprintf(out, "positions: instr line\nevents: Samples\n");
	fprintf(out, "summary: %" PRIu64 "\n", profile->samples);
	if (report->calls.n)
		write_edges(report, out);
	else
		write_functions(report, out);
	fprintf(out, "\ntotals: %" PRIu64 "\n", profile->samples);
	return true;
}
