// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/annotate.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"
#include "content/listing.h"
#include "content/name_pattern.h"

#include <inttypes.h>
#include <stdlib.h>

static void print_count(uint64_t samples, uint64_t total, FILE *out)
{
	if (samples)
		fprintf(out, "%6.2f%% %9" PRIu64 "  ",
			100.0 * (double)samples / (double)total, samples);
	else
		fprintf(out, "%7s %9s  ", "", "");
}

/* With callers, a function has a stack once, and perhaps several of its lines. */
static uint64_t samples_of(const struct report *report, const struct row *row)
{
	return report->profile->with_callers ? row->reached : row->total;
}

static void print_listing(const struct report *report, const struct listing *listing,
			  const struct row *row, FILE *out)
{
	uint64_t total = samples_of(report, row);
	size_t i;

	for (i = 0; i < listing->n; i++) {
		const struct listing_line *line = &listing->lines[i];

		print_count(line->samples, total, out);
		if (line->number)
			fprintf(out, "%5d  %s\n", line->number, line->text);
		else
			fprintf(out, "%8" PRIx64 "  %s\n", line->address,
				line->text);
	}
	if (listing->elsewhere) {
		print_count(listing->elsewhere, total, out);
		fprintf(out, "       in unknown lines\n");
	}
}

/* "main", or "main and 2 more". */
static char *site_names(const struct row *row)
{
	if (row->nsites == 1)
		return copy_text(row->sites[0].name);
	return format_text("%s and %zu more", row->sites[0].name, row->nsites - 1);
}

static void print_title(const struct report *report, const struct row *row,
			const struct listing *listing, bool missed, FILE *out)
{
	char *file = clean_text(listing->file);
	char *sites = row->inlined ? site_names(row) : NULL;

	fprintf(out, "%s%s%s in %s: %" PRIu64 " samples, %.2f%%", row->name,
		sites ? ", inlined into " : "", sites ? sites : "",
		report->profile->objects[row->object].name, samples_of(report, row),
		100.0 * (double)(report->profile->with_callers ? row->reached_ns :
				 row->total_ns) / (double)report->profile->ns);
	if (report->profile->with_callers)
		fprintf(out, ", with the calls from it");
	else if (row->samples != row->total)
		fprintf(out, ", %" PRIu64 " of them in calls inlined into it",
			row->total - row->samples);
	fprintf(out, "; %s%s\n", file, missed ? ", source not found" : "");
	free(sites);
	free(file);
}

static void annotate_row(const struct report *report, const struct row *row,
			 bool code, FILE *out)
{
	struct listing listing = { 0 };
	bool source = !code && listing_source(&listing, report, row);

	if (!source && !listing_code(&listing, report, row))
		listing_addresses(&listing, report, row);
	print_title(report, row, &listing, !source && !code, out);
	print_listing(report, &listing, row, out);
	fputc('\n', out);
	listing_free(&listing);
}

bool annotate(const struct report *report, const struct name_pattern *function,
	      bool code, FILE *out)
{
	bool found = false;
	size_t i;

	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];

		if (!row->nplaces || !name_pattern_matches_function(function, row->name))
			continue;
		annotate_row(report, row, code, out);
		found = true;
	}
	if (!found)
		warn("no function with samples matches '%s'", name_pattern_text(function));
	return found;
}
