// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callgrind.out for callgrind_annotate and KCachegrind: a line for each address, and
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

/* The file of a function must be the same in its "fl=" and in the "cfi=" of its callers. */
static char *file_of(const struct report *report, const struct row *row)
{
	struct line line = frames_outer_line(&report->profile->objects[row->object],
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

/* The number of calls is unknown, so the number of samples stands for it. */
static void write_call(const struct report *report, const struct row *callee,
		       uint64_t samples, FILE *out)
{
	struct object *object = &report->profile->objects[callee->object];
	char *file = file_of(report, callee);

	fprintf(out, "cob=%s\ncfi=%s\ncfn=%s\ncalls=%" PRIu64 " 0x%" PRIx64 " %d\n",
		object->shown, file, callee->name, samples, callee->start,
		frames_outer_line(object, callee->start).number);
	free(file);
}

static int line_of(const struct report *report, const struct call_edge *edge)
{
	const struct row *row = &report->functions.rows[edge->row];

	return frames_outer_line(&report->profile->objects[row->object],
				 edge->address).number;
}

/*
 * Once a file has calls, viewers take the cost of a function from the calls to it. So a
 * function "(no caller)" calls the outermost functions.
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

bool report_callgrind(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	const struct process *first = profile_first(profile);

	fprintf(out, "# callgrind format\nversion: 1\ncreator: profil\n");
	if (first)
		fprintf(out, "cmd: %s\n", titles_process(profile, first));
	fprintf(out, "positions: instr line\nevents: Samples\n");
	fprintf(out, "summary: %" PRIu64 "\n", profile->samples);
	write_edges(report, out);
	fprintf(out, "\ntotals: %" PRIu64 "\n", profile->samples);
	return true;
}
