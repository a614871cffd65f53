// SPDX-License-Identifier: LGPL-2.1-or-later
/* callgrind.out for callgrind_annotate and KCachegrind: a line per address. */
#include "common/clean_text.h"
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

static void write_function(const struct report *report, const struct row *row,
			   FILE *out)
{
	struct object *object = &report->profile->objects[row->object];
	struct line line = frames_line(object, row->start);
	char *file = clean_text(line.file ? line.file : "???");

	fprintf(out, "\nob=%s\nfl=%s\nfn=%s\n", object->shown, file, row->name);
	write_places(report, row, out);
	free(file);
}

bool report_callgrind(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	const struct process *first = profile_first(profile);
	size_t i;

	fprintf(out, "# callgrind format\nversion: 1\ncreator: profil\n");
	if (first)
		fprintf(out, "cmd: %s\n", report_process_title(profile, first));
	fprintf(out, "positions: instr line\nevents: Samples\n");
	fprintf(out, "summary: %" PRIu64 "\n", profile->samples);
	/* Its tree knows no inlined calls: they are in what they are inlined into. */
	for (i = 0; i < report->functions.n; i++)
		if (!report->functions.rows[i].inlined)
			write_function(report, &report->functions.rows[i], out);
	fprintf(out, "\ntotals: %" PRIu64 "\n", profile->samples);
	return true;
}
