// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats/html_function.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "content/listing.h"
#include "content/titles.h"

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

static json_t *make_line(const struct listing_line *line)
{
	char label[24];

	if (line->number)
		snprintf(label, sizeof(label), "%d", line->number);
	else
		snprintf(label, sizeof(label), "%" PRIx64, line->address);
	return json_pack("[I,s,s]", (json_int_t)line->samples, label, line->text);
}

/* A line without a label stands for omitted lines. */
static json_t *make_lines(const struct listing *listing)
{
	bool *near = find_near(listing), cut = false;
	json_t *lines = json_array();
	size_t i;

	for (i = 0; i < listing->n; i++) {
		if (near[i])
			json_array_append_new(lines, make_line(&listing->lines[i]));
		else if (!cut)
			json_array_append_new(lines, json_pack("[i,n,s]", 0, ""));
		cut = !near[i];
	}
	free(near);
	return lines;
}

static json_t *make_listing(const struct listing *listing)
{
	char *title = clean_text(listing->file);
	json_t *made = json_pack("{s:s,s:I,s:o}", "title", title, "elsewhere",
				 (json_int_t)listing->elsewhere, "lines",
				 make_lines(listing));

	free(title);
	return made;
}

static json_t *make_listings(const struct report *report, const struct row *row,
			     bool listed)
{
	struct listing code = { 0 }, source = { 0 };
	json_t *listings = json_array();

	if (!listed || !listing_code(&code, report, row))
		listing_addresses(&code, report, row);
	json_array_append_new(listings, make_listing(&code));
	if (listed && listing_source(&source, report, row))
		json_array_append_new(listings, make_listing(&source));
	listing_free(&code);
	listing_free(&source);
	return listings;
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

json_t *html_function(const struct report *report, size_t i)
{
	const struct row *row = &report->functions.rows[i];
	char *place = titles_place(report, row);
	json_t *made = json_pack("{s:s,s:I,s:I,s:I,s:I,s:s,s:o}",
		"name", row->name, "object", (json_int_t)row->object,
		"samples", (json_int_t)row->samples, "ns", (json_int_t)row->ns,
		"total", (json_int_t)row->total, "place", place,
		"listings", make_listings(report, row, i < LISTED_FUNCTIONS));

	if (row->inlined)
		json_object_set_new(made, "sites", make_sites(row));
	free(place);
	return made;
}
