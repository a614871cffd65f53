// SPDX-License-Identifier: LGPL-2.1-or-later
#include "annotate.h"
#include "listing.h"
#include "tool.h"

#include <inttypes.h>
#include <string.h>

static void print_count(uint64_t samples, uint64_t total, FILE *out)
{
	if (samples)
		fprintf(out, "%6.2f%% %9" PRIu64 "  ",
			100.0 * (double)samples / (double)total, samples);
	else
		fprintf(out, "%7s %9s  ", "", "");
}

static void print_listing(const struct listing *listing, const struct row *row,
			  FILE *out)
{
	size_t i;

	for (i = 0; i < listing->n; i++) {
		const struct listing_line *line = &listing->lines[i];

		print_count(line->samples, row->samples, out);
		if (line->number)
			fprintf(out, "%5d  %s\n", line->number, line->text);
		else
			fprintf(out, "%8" PRIx64 "  %s\n", line->address,
				line->text);
	}
	if (listing->elsewhere) {
		print_count(listing->elsewhere, row->samples, out);
		fprintf(out, "       in lines that were inlined from elsewhere\n");
	}
}

static void annotate_row(const struct report *report, const struct row *row,
			 bool code, FILE *out)
{
	struct listing listing = { NULL };

	if ((code || !listing_source(&listing, report, row)) &&
	    !listing_code(&listing, report, row))
		listing_addresses(&listing, report, row);
	fprintf(out, "%s in %s: %" PRIu64 " samples, %.2f%%; %s\n", row->name,
		report->profile->objects[row->object].name, row->samples,
		100.0 * (double)row->ns / (double)report->profile->ns,
		listing.title);
	print_listing(&listing, row, out);
	fputc('\n', out);
	listing_free(&listing);
}

/* A C++ function may be named without its parameters. */
static bool is_called(const char *function, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(function, name, length) &&
	       (!function[length] || function[length] == '(');
}

bool annotate(const struct report *report, const char *name, bool code, FILE *out)
{
	bool found = false;
	size_t i;

	for (i = 0; i < report->functions.n; i++) {
		if (!is_called(report->functions.rows[i].name, name))
			continue;
		annotate_row(report, &report->functions.rows[i], code, out);
		found = true;
	}
	if (!found)
		warn("no samples in a function called %s", name);
	return found;
}
