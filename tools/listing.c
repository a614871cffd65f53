// SPDX-License-Identifier: LGPL-2.1-or-later
#include "listing.h"
#include "disassembly.h"
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Longer functions are shown where they have samples. */
#define BYTES_MOST	(64u << 10)

static struct listing_line *add_line(struct listing *listing, const char *text)
{
	struct listing_line *line;

	ensure(listing->lines, listing->n, listing->room);
	line = &listing->lines[listing->n++];
	*line = (struct listing_line){ .text = format_text("%s", text) };
	return line;
}

static struct object *object_of(const struct report *report, const struct row *row)
{
	return &report->profile->objects[row->object];
}

/* --- source ----------------------------------------------------------------- */

struct span {
	char	*file;
	int	first;
	int	last;
};

static bool is_in(const struct span *span, const struct line *line)
{
	return line->file && span->file && !strcmp(line->file, span->file);
}

/* The lines of the function's own file that its code comes from. */
static struct span find_span(const struct report *report, const struct row *row)
{
	struct object *object = object_of(report, row);
	struct line line = symbols_line(object, row->start);
	struct line name = symbols_declaration(object, row->start);
	struct span span = { line.file, line.number, line.number };
	uint64_t end = row->end, address;

	if (is_in(&span, &name) && name.number < span.first)
		span.first = name.number;

	if (end - row->start > BYTES_MOST)
		end = row->start + BYTES_MOST;
	for (address = row->start; span.file && address < end; address++) {
		line = symbols_line(object, address);
		/* What is above the function was inlined into it. */
		if (is_in(&span, &line) && line.number > span.last)
			span.last = line.number;
	}
	return span;
}

static bool read_lines(struct listing *listing, const struct span *span)
{
	FILE *file = symbols_source(span->file);
	char *text = NULL;
	size_t room = 0;
	int number = 0;

	if (!file)
		return false;
	while (number < span->last && getline(&text, &room, file) > 0) {
		text[strcspn(text, "\r\n")] = '\0';
		if (++number >= span->first)
			add_line(listing, text)->number = number;
	}
	free(text);
	fclose(file);
	return listing->n > 0;
}

/* The line of the function itself, where @address is in an inlined call. */
static struct line outer_line(struct object *object, uint64_t address)
{
	struct frame frames[FRAMES_MOST];
	size_t n = symbols_frames(object, address, frames);

	return frames[n - 1].line;
}

static void count_lines(struct listing *listing, const struct span *span,
			const struct report *report, const struct row *row)
{
	struct object *object = object_of(report, row);
	size_t i;

	for (i = row->place; i < row->place + row->nplaces; i++) {
		const struct place *place = &report->profile->places[i];
		struct line line = symbols_line(object, place->address);
		size_t at;

		if (!is_in(span, &line) || line.number < span->first)
			line = outer_line(object, place->address);
		at = (size_t)(line.number - span->first);
		if (is_in(span, &line) && line.number >= span->first &&
		    at < listing->n)
			listing->lines[at].samples += place->samples;
		else
			listing->elsewhere += place->samples;
	}
}

bool listing_source(struct listing *listing, const struct report *report,
		    const struct row *row)
{
	struct span span = find_span(report, row);

	if (!span.file || span.first <= 0 || !read_lines(listing, &span))
		return false;
	listing->title = format_text("%s", span.file);
	count_lines(listing, &span, report, row);
	return true;
}

/* --- disassembly ------------------------------------------------------------ */

/* The instruction at or before @address. */
static struct listing_line *find_line(struct listing *listing, uint64_t address)
{
	size_t low = 0, high = listing->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (listing->lines[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &listing->lines[low - 1] : NULL;
}

static void count_addresses(struct listing *listing, const struct report *report,
			    const struct row *row)
{
	size_t i;

	for (i = row->place; i < row->place + row->nplaces; i++) {
		const struct place *place = &report->profile->places[i];
		struct listing_line *line = find_line(listing, place->address);

		if (line)
			line->samples += place->samples;
		else
			listing->elsewhere += place->samples;
	}
}

static void clip(const struct report *report, const struct row *row,
		 uint64_t *start, uint64_t *end)
{
	const struct place *last =
		&report->profile->places[row->place + row->nplaces - 1];

	*start = row->start;
	*end = row->end;
	if (*end - *start <= BYTES_MOST)
		return;
	if (row->end == UINT64_MAX || last->address - *start < BYTES_MOST)
		*end = last->address + 16;
	if (*end - *start <= BYTES_MOST)
		return;
	*start = row->hottest;
	*end = row->hottest + BYTES_MOST < *end ? row->hottest + BYTES_MOST : *end;
}

bool listing_code(struct listing *listing, const struct report *report,
		  const struct row *row)
{
	struct disassembly disassembly = { NULL };
	const char *file = symbols_file(object_of(report, row));
	uint64_t start, end;
	size_t i;

	if (!file)
		return false;
	clip(report, row, &start, &end);
	disassemble(&disassembly, file, start, end);
	for (i = 0; i < disassembly.n; i++)
		add_line(listing, disassembly.lines[i].text)->address =
			disassembly.lines[i].address;
	disassembly_free(&disassembly);
	if (!listing->n)
		return false;
	listing->title = format_text("%s", file);
	count_addresses(listing, report, row);
	return true;
}

void listing_addresses(struct listing *listing, const struct report *report,
		       const struct row *row)
{
	size_t i;

	listing->title = format_text("%s", object_of(report, row)->path);
	for (i = row->place; i < row->place + row->nplaces; i++) {
		uint64_t address = report->profile->places[i].address;

		if (listing->n && listing->lines[listing->n - 1].address == address)
			continue;
		add_line(listing, "")->address = address;
	}
	count_addresses(listing, report, row);
}

void listing_free(struct listing *listing)
{
	size_t i;

	for (i = 0; i < listing->n; i++)
		free(listing->lines[i].text);
	free(listing->lines);
	free(listing->title);
	*listing = (struct listing){ NULL };
}
