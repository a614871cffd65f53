// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One page that needs nothing else: the profile as JSON, and the style and the
 * script of page.css and page.js. The hottest functions have their code and
 * source in it, the others the addresses with samples.
 */
#include "json.h"
#include "listing.h"
#include "page.h"
#include "report.h"
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_FUNCTIONS	60
#define CONTEXT			12	/* lines around those with samples */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* --- listings ---------------------------------------------------------------- */

/* Which lines are near one with samples. */
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

static void write_line(const struct listing_line *line, FILE *out)
{
	fprintf(out, "[%" PRIu64 ",", line->samples);
	if (line->number)
		fprintf(out, "\"%d\",", line->number);
	else
		fprintf(out, "\"%" PRIx64 "\",", line->address);
	json_string(out, line->text);
	fputc(']', out);
}

static void write_lines(const struct listing *listing, FILE *out)
{
	bool *near = find_near(listing), cut = false;
	const char *separator = "";
	size_t i;

	for (i = 0; i < listing->n; i++) {
		if (near[i]) {
			fputs(separator, out);
			write_line(&listing->lines[i], out);
		} else if (!cut) {
			fprintf(out, "%s[0,null,\"\"]", separator);
		}
		cut = !near[i];
		separator = ",\n";
	}
	free(near);
}

static void write_listing(const struct listing *listing, const char *separator,
			  FILE *out)
{
	fprintf(out, "%s{\"title\":", separator);
	json_string(out, listing->title);
	fprintf(out, ",\"elsewhere\":%" PRIu64 ",\"lines\":[", listing->elsewhere);
	write_lines(listing, out);
	fprintf(out, "]}");
}

static void write_listings(const struct report *report, const struct row *row,
			   bool listed, FILE *out)
{
	struct listing code = { NULL }, source = { NULL };

	if (!listed || !listing_code(&code, report, row))
		listing_addresses(&code, report, row);
	write_listing(&code, "", out);
	if (listed && listing_source(&source, report, row))
		write_listing(&source, ",\n", out);
	listing_free(&code);
	listing_free(&source);
}

/* --- the profile ------------------------------------------------------------- */

static void write_place(struct object *object, const struct row *row, FILE *out)
{
	struct line line = symbols_line(object, row->hottest);
	char *text = line.file ?
		format_text("%s:%d", base_name(line.file), line.number) :
		format_text("0x%" PRIx64, row->hottest);

	json_string(out, text);
	free(text);
}

static void write_function(const struct report *report, size_t i, FILE *out)
{
	const struct row *row = &report->functions.rows[i];
	struct object *object = &report->profile->objects[row->object];

	fprintf(out, "%s{\"name\":", i ? ",\n" : "");
	json_string(out, row->name);
	fprintf(out, ",\"object\":");
	json_string(out, object->name);
	fprintf(out, ",\"samples\":%" PRIu64 ",\"ns\":%" PRIu64 ",\"place\":",
		row->samples, row->ns);
	write_place(object, row, out);
	fprintf(out, ",\"listings\":[");
	write_listings(report, row, i < LISTED_FUNCTIONS, out);
	fprintf(out, "]}");
}

static char *totals(const struct report *report)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	report_totals(report, out);
	fclose(out);
	return text;
}

static void write_data(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	char *text = totals(report);
	size_t n = report->functions.n, i;

	if (report->limit && n > report->limit)
		n = report->limit;
	fprintf(out, "{\"name\":");
	json_string(out, profile->ncommands ? profile->commands[0] : "profil");
	fprintf(out, ",\"totals\":");
	json_string(out, text);
	fprintf(out, ",\"ns\":%" PRIu64 ",\"functions\":[\n", profile->ns);
	for (i = 0; i < n; i++)
		write_function(report, i, out);
	fprintf(out, "]}");
	free(text);
}

static const char head[] =
"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
"<meta name=\"viewport\" content=\"width=device-width\">\n"
"<title>profil</title>\n<style>\n";
static const char middle[] =
"</style>\n</head>\n<body>\n<h1></h1>\n<p id=\"totals\"></p>\n"
"<input id=\"search\" type=\"search\" aria-label=\"Search\" "
"placeholder=\"Search functions and objects\"><span id=\"found\"></span>\n"
"<table id=\"profile\"><thead><tr>\n"
"<th data-key=\"ns\"><button>Share</button></th>\n"
"<th data-key=\"samples\" aria-sort=\"descending\"><button>Samples</button></th>\n"
"<th data-key=\"ns\"><button>Seconds</button></th>\n"
"<th data-key=\"name\"><button>Function</button></th>\n"
"<th data-key=\"object\"><button>Object</button></th>\n"
"<th data-key=\"place\"><button>Hottest</button></th>\n"
"</tr></thead><tbody></tbody></table>\n"
"<script type=\"application/json\" id=\"data\">\n";

bool report_html(const struct report *report, FILE *out)
{
	fprintf(out, "%s%s%s", head, page_css, middle);
	write_data(report, out);
	fprintf(out, "\n</script>\n<script>\n%s</script>\n</body>\n</html>\n",
		page_js);
	return true;
}
