// SPDX-License-Identifier: LGPL-2.1-or-later
/* speedscope's JSON: one profile of weighted stacks, in milliseconds. */
#include "json.h"
#include "report.h"
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>

/* Frames: the commands, then the objects, then the functions. */
static void write_frames(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	const char *separator = "";
	size_t i;

	for (i = 0; i < profile->ncommands; i++, separator = ",") {
		fprintf(out, "%s\n{\"name\":", separator);
		json_string(out, profile->commands[i]);
		fprintf(out, "}");
	}
	for (i = 0; i < profile->nobjects; i++) {
		fprintf(out, ",\n{\"name\":");
		json_string(out, profile->objects[i].name);
		fprintf(out, ",\"file\":");
		json_string(out, profile->objects[i].path);
		fprintf(out, "}");
	}
	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];
		struct object *object = &profile->objects[row->object];
		struct line line = symbols_line(object, row->start);

		fprintf(out, ",\n{\"name\":");
		json_string(out, row->name);
		fprintf(out, ",\"file\":");
		json_string(out, line.file ? line.file : object->path);
		if (line.file)
			fprintf(out, ",\"line\":%d", line.number);
		fprintf(out, "}");
	}
}

static size_t write_stacks(const struct report *report, FILE *out, bool weights)
{
	const struct profile *profile = report->profile;
	size_t functions = profile->ncommands + profile->nobjects, n = 0, i, j;

	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];

		for (j = row->place; j < row->place + row->nplaces; j++) {
			const struct place *place = &profile->places[j];

			fputs(n++ ? ",\n" : "\n", out);
			if (weights)
				fprintf(out, "%.6f", (double)place->ns / 1e6);
			else
				fprintf(out, "[%u,%zu,%zu]", profile->processes[place->process].command,
					profile->ncommands + place->object,
					functions + i);
		}
	}
	return n;
}

bool report_json(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;

	fprintf(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"profil\",\"name\":");
	json_string(out, profile->ncommands ? profile->commands[0] : "profil");
	fprintf(out, ",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	write_frames(report, out);
	fprintf(out, "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":\"CPU time\","
		"\"unit\":\"milliseconds\",\"startValue\":0,\"endValue\":%.6f,\n"
		"\"samples\":[", (double)profile->ns / 1e6);
	write_stacks(report, out, false);
	fprintf(out, "],\n\"weights\":[");
	write_stacks(report, out, true);
	fprintf(out, "]}]}\n");
	return true;
}
