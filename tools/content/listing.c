// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/listing.h"
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/bisect.h"
#include "content/disassembly.h"
#include "object/frames.h"
#include "object/source_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A longer function is shown only in part, where it has samples. */
#define BYTES_MOST	(64u << 10)

/* The most functions to search for the code of an inlined one. */
#define SITES_MOST	20

static struct listing_line *add_line(struct listing *listing, const char *text)
{
	struct listing_line *line;

	ensure(listing->lines, listing->n, listing->room);
	line = &listing->lines[listing->n++];
	*line = (struct listing_line){ .text = clean_text_line(text) };
	return line;
}

static struct object *object_of(const struct report *report, const struct row *row)
{
	return &report->profile->objects[row->object];
}

/* --- kept listings --------------------------------------------------------- */

static bool is_of(const struct kept_listing *kept, const struct row *row, bool code)
{
	const struct line declared = { (char *)(uintptr_t)kept->declared.file,
				       kept->declared.number };

	if (kept->code != code || kept->inlined != row->inlined)
		return false;
	return row->inlined ? !strcmp(kept->name, row->name) &&
			      functions_same_line(&declared, &row->declared) :
			      kept->start == row->start;
}

static const struct kept_listing *find_kept(const struct object *object,
					    const struct row *row, bool code)
{
	const struct kept_object *kept;
	size_t i;

	for (kept = object->kept; kept; kept = kept->next)
		for (i = 0; i < kept->nlistings; i++)
			if (is_of(&kept->listings[i], row, code))
				return &kept->listings[i];
	return NULL;
}

/* Adds the lines that were kept. Returns false if there are none. */
static bool take_kept(struct listing *listing, const struct object *object,
		      const struct row *row, bool code)
{
	const struct kept_listing *kept = find_kept(object, row, code);
	size_t i;

	if (!kept || !kept->n)
		return false;
	listing->file = kept->file;
	for (i = 0; i < kept->n; i++) {
		struct listing_line *line = add_line(listing, kept->lines[i].text);

		if (code)
			line->address = kept->lines[i].at;
		else
			line->number = (int)kept->lines[i].at;
	}
	return true;
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

/* The line in the row's function itself at @address, not in a call inlined into it. */
static struct line own_line(struct object *object, const struct row *row,
			    uint64_t address)
{
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, address, frames);
	const struct frame *frame = functions_frame(row, frames, n);

	return frame ? frame->line : (struct line){ NULL, 0 };
}

static void extend_span(struct span *span, struct object *object,
			const struct row *row, uint64_t start, uint64_t end)
{
	uint64_t address;

	if (end - start > BYTES_MOST)
		end = start + BYTES_MOST;
	for (address = start; span->file && address < end; address++) {
		struct line line = own_line(object, row, address);

		if (is_in(span, &line) && line.number > span->last)
			span->last = line.number;
	}
}

static struct span code_span(struct object *object, const struct row *row)
{
	struct line line = own_line(object, row, row->start);
	struct line name = frames_declaration(object, row->start);
	struct span span = { line.file, line.number, line.number };

	if (is_in(&span, &name) && name.number < span.first)
		span.first = name.number;
	extend_span(&span, object, row, row->start, row->end);
	return span;
}

/* The lines of the function in its own file. */
static struct span find_span(const struct report *report, const struct row *row)
{
	struct object *object = object_of(report, row);
	struct span span = { row->declared.file, row->declared.number,
			     row->declared.number };
	size_t i;

	if (!row->inlined)
		return code_span(object, row);
	for (i = 0; i < row->nsites && i < SITES_MOST; i++)
		extend_span(&span, object, row, row->sites[i].start,
			    row->sites[i].end);
	return span;
}

/*
 * Reads up to the first zero: text has none, and a huge hole may follow. The rest of a
 * line that is longer than the buffer is left out.
 */
static bool read_lines(struct listing *listing, const struct span *span, uint32_t owner)
{
	FILE *file = source_file_open(span->file, owner);
	bool begins = true, goes_on = true;
	static char text[65536];
	int number = 0;

	if (!file)
		return false;
	while (goes_on && number < span->last && fgets(text, sizeof(text), file)) {
		size_t length = strlen(text);
		bool ends = length && text[length - 1] == '\n';

		goes_on = ends || length == sizeof(text) - 1;
		text[strcspn(text, "\r\n")] = '\0';
		if (begins && ++number >= span->first)
			add_line(listing, text)->number = number;
		begins = ends;
	}
	fclose(file);
	return listing->n > 0;
}

static const struct place *place_of(const struct report *report,
				    const struct row *row, size_t i)
{
	return &report->profile->places[row->places[i]];
}

static void count_lines(struct listing *listing, const struct report *report,
			const struct row *row)
{
	struct object *object = object_of(report, row);
	size_t i;

	for (i = 0; i < row->nplaces; i++) {
		const struct place *place = place_of(report, row, i);
		struct line line = own_line(object, row, place->address);
		size_t at = (size_t)line.number - (size_t)listing->lines[0].number;

		if (line.file && !strcmp(line.file, listing->file) && at < listing->n)
			listing->lines[at].samples += place->samples;
		else
			listing->elsewhere += place->samples;
	}
}

bool listing_source(struct listing *listing, const struct report *report,
		    const struct row *row)
{
	const struct object *object = object_of(report, row);
	struct span span;

	if (!take_kept(listing, object, row, false)) {
		span = find_span(report, row);
		if (!span.file || span.first <= 0 ||
		    !read_lines(listing, &span, object->owner))
			return false;
		listing->file = span.file;
	}
	count_lines(listing, report, row);
	return true;
}

/* --- disassembly ------------------------------------------------------------ */

/* The instruction at or before @address. */
static struct listing_line *find_line(struct listing *listing, uint64_t address)
{
	size_t n = bisect(i, listing->n, listing->lines[i].address <= address);

	return n ? &listing->lines[n - 1] : NULL;
}

static void count_addresses(struct listing *listing, const struct report *report,
			    const struct row *row)
{
	size_t i;

	for (i = 0; i < row->nplaces; i++) {
		const struct place *place = place_of(report, row, i);
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
	/* A function that only calls others has no places. */
	uint64_t last = row->nplaces ? place_of(report, row, row->nplaces - 1)->address
				     : row->start;

	*start = row->start;
	*end = row->end;
	if (*end - *start <= BYTES_MOST)
		return;
	if (row->end == UINT64_MAX || last - *start < BYTES_MOST)
		*end = last < UINT64_MAX - 16 ? last + 16 : UINT64_MAX;
	if (*end - *start <= BYTES_MOST)
		return;
	*start = row->hottest;
	*end = *end - row->hottest > BYTES_MOST ? row->hottest + BYTES_MOST : *end;
}

static void add_code(struct listing *listing, struct object *object,
		     const struct row *row, uint64_t start, uint64_t end)
{
	struct disassembly disassembly = { 0 };
	size_t i;

	disassembly_make(&disassembly, object, start, end);
	for (i = 0; i < disassembly.n; i++) {
		const struct instruction *at = &disassembly.lines[i];

		if (!row->inlined || own_line(object, row, at->address).file)
			add_line(listing, at->text)->address = at->address;
	}
	disassembly_free(&disassembly);
}

/* Adds the instructions of an inlined function in each function that contains it. */
static void add_sites(struct listing *listing, struct object *object,
		      const struct row *row)
{
	size_t i;

	for (i = 0; i < row->nsites && i < SITES_MOST; i++) {
		const struct site *site = &row->sites[i];

		if (site->end - site->start <= BYTES_MOST)
			add_code(listing, object, row, site->start, site->end);
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const struct listing_line *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void disassemble(struct listing *listing, const struct report *report,
			const struct row *row)
{
	struct object *object = object_of(report, row);
	uint64_t start, end;

	listing->file = symbols_file(object);
	if (!listing->file)
		return;
	if (row->inlined) {
		add_sites(listing, object, row);
	} else {
		clip(report, row, &start, &end);
		add_code(listing, object, row, start, end);
	}
	if (listing->n)
		qsort(listing->lines, listing->n, sizeof(*listing->lines),
		      compare_addresses);
}

bool listing_code(struct listing *listing, const struct report *report,
		  const struct row *row)
{
	if (!take_kept(listing, object_of(report, row), row, true))
		disassemble(listing, report, row);
	if (!listing->n)
		return false;
	count_addresses(listing, report, row);
	return true;
}

void listing_addresses(struct listing *listing, const struct report *report,
		       const struct row *row)
{
	size_t i;

	listing->file = object_of(report, row)->path;
	for (i = 0; i < row->nplaces; i++) {
		uint64_t address = place_of(report, row, i)->address;

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
	*listing = (struct listing){ 0 };
}
