// SPDX-License-Identifier: LGPL-2.1-or-later
/* The flat profile for people. */
#include "report.h"
#include "tool.h"

#include <inttypes.h>
#include <linux/profil.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_SECOND	1e9

/*
 * What a stored sample costs the profiled program, roughly: docs/design.md has
 * the instructions, and nothing in a file says how long they took.
 */
#define NS_PER_SAMPLE	300.0

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_row(const struct report *report, const struct row *row, FILE *out)
{
	struct object *object = &report->profile->objects[row->object];
	struct line line = symbols_line(object, row->hottest);
	double share = report->profile->ns ?
		100.0 * (double)row->ns / (double)report->profile->ns : 0;

	fprintf(out, "%6.2f%% %9" PRIu64 " %9.3f  %-32s  %-20s  ", share,
		row->samples, (double)row->ns / NS_PER_SECOND, row->name,
		object->name);
	if (line.file)
		fprintf(out, "%s:%d\n", base_name(line.file), line.number);
	else
		fprintf(out, "0x%" PRIx64 "\n", row->hottest);
}

static const char *rate_name(const struct profile *profile)
{
	switch (profile->rate) {
	case PROFIL_RATE_FAST:
		return "fast clock";
	case PROFIL_RATE_TICK:
		return "every tick";
	default:
		return "clock tick";
	}
}

static void print_doubts(const struct profile *profile, FILE *out)
{
	if (profile->full)
		fprintf(out, "%" PRIu64 " file(s) were full: what came later is not in them\n",
			profile->full);
	if (profile->faulted)
		fprintf(out, "%" PRIu64 " file(s) could not be written to their end: disk full, or not a local one?\n",
			profile->faulted);
	if (profile->unended)
		fprintf(out, "%" PRIu64 " process(es) ended without exit(), or still run: ticks that waited for memory at that moment are missing\n",
			profile->unended);
	if (profile->unprofiled)
		fprintf(out, "%" PRIu64 " process(es) could not make a file\n",
			profile->unprofiled);
	if (profile->taken)
		fprintf(out, "%" PRIu64 " profile(s) that programs started themselves are not included\n",
			profile->taken);
}

static uint64_t outside(const struct profile *profile)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < profile->nobjects; i++)
		if (profile->objects[i].pid)
			samples += profile->objects[i].samples;
	return samples;
}

void report_totals(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	double seconds = (double)profile->ns / NS_PER_SECOND;

	fprintf(out, "%" PRIu64 " samples, %.3f s of CPU time in %" PRIu64 " process(es)",
		profile->samples, seconds, (uint64_t)profile->nprocesses);
	if (profile->mixed)
		fprintf(out, ", different rates");
	else
		fprintf(out, ", %" PRIu64 " samples a second (%s)",
			report_rate(profile), rate_name(profile));
	fprintf(out, "\n%" PRIu64 " lost, %" PRIu64 " outside all objects; estimated cost %.2f%% (taking %.0f ns a sample)\n",
		profile->lost, outside(profile),
		profile->ns ? (double)profile->samples * NS_PER_SAMPLE * 100.0 /
			(double)profile->ns : 0, NS_PER_SAMPLE);
	print_doubts(profile, out);
}

bool report_text(const struct report *report, FILE *out)
{
	size_t n = report->functions.n, i;

	if (report->limit && n > report->limit)
		n = report->limit;
	fprintf(out, "  share   samples   seconds  %-32s  %-20s  hottest\n",
		"function", "object");
	for (i = 0; i < n; i++)
		print_row(report, &report->functions.rows[i], out);
	if (n < report->functions.n)
		fprintf(out, "        and %zu more functions (-n 0 shows all)\n",
			report->functions.n - n);
	fputc('\n', out);
	report_totals(report, out);
	return true;
}
