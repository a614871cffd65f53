// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_function.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "content/listing.h"
#include "content/titles.h"
#include "formats/html_value.h"

#include <inttypes.h>
#include <stdlib.h>

#define LISTED_FUNCTIONS	60
#define CONTEXT			12	/* lines around a line with samples */

/* --- listings ---------------------------------------------------------------- */

/* Marks the lines near a line with samples. */
static bool *find_near(const struct listing *listing)
{
	bool *near = allocate(listing->n * sizeof(*near));
	size_t i, j;

	for (i = 0; i < listing->n; i++) {
		if (!listing->lines[i].samples)
			continue;
		j = i > CONTEXT ? i - CONTEXT : 0;
		for (; j < listing->n && j <= i + CONTEXT; j++)
			near[j] = true;
	}
	return near;
}

/* There are many, and few have a text. */
static void write_line(const struct listing_line *line, FILE *out)
{
	if (line->number)
		fprintf(out, "[%" PRIu64 ",\"%d\",", line->samples, line->number);
	else
		fprintf(out, "[%" PRIu64 ",\"%" PRIx64 "\",", line->samples, line->address);
	if (*line->text)
		html_value_json(json_string(line->text), out);
	else
		fputs("\"\"", out);
	fputc(']', out);
}

/* A line without a label stands for omitted lines. */
static void write_lines(const struct listing *listing, FILE *out)
{
	bool *near = find_near(listing), cut = false;
	size_t i;

	for (i = 0; i < listing->n; i++) {
		if (i && (near[i] || !cut))
			fputc(',', out);
		if (near[i])
			write_line(&listing->lines[i], out);
		else if (!cut)
			fputs("[0,null,\"\"]", out);
		cut = !near[i];
	}
	free(near);
}

static void write_listing(const struct listing *listing, FILE *out)
{
	char *title = clean_text(listing->file);

	fputs("{\"title\":", out);
	html_value_json(json_string(title), out);
	fprintf(out, ",\"elsewhere\":%" PRIu64 ",\"lines\":[", listing->elsewhere);
	write_lines(listing, out);
	fputs("]}", out);
	free(title);
}

static void write_listings(const struct report *report, const struct row *row, bool listed,
			   FILE *out)
{
	struct listing code = { 0 }, source = { 0 };

	if (!listed || !listing_code(&code, report, row))
		listing_addresses(&code, report, row);
	write_listing(&code, out);
	if (listed && listing_source(&source, report, row)) {
		fputc(',', out);
		write_listing(&source, out);
	}
	listing_free(&code);
	listing_free(&source);
}

/* --- functions ----------------------------------------------------------------- */

static json_t *make_sites(const struct row *row)
{
	json_t *sites = json_array();
	size_t i;

	for (i = 0; i < row->nsites; i++)
		json_array_append_new(sites, json_pack("[I,s]",
			(json_int_t)row->sites[i].samples, row->sites[i].name));
	return sites;
}

void html_function(const struct report *report, size_t i, FILE *out)
{
	const struct row *row = &report->functions.rows[i];
	char *place = titles_place(report, row);

	fputs("{\"name\":", out);
	html_value_json(json_string(row->name), out);
	fprintf(out, ",\"object\":%" PRIu32 ",\"samples\":%" PRIu64 ",\"ns\":%" PRIu64
		",\"total\":%" PRIu64 ",\"place\":", row->object, row->samples, row->ns,
		row->total);
	html_value_json(json_string(place), out);
	fputs(",\"listings\":[", out);
	write_listings(report, row, i < LISTED_FUNCTIONS, out);
	fputc(']', out);
	if (row->inlined) {
		fputs(",\"sites\":", out);
		html_value_json(make_sites(row), out);
	}
	fputc('}', out);
	free(place);
}
