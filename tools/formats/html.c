// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One page that needs nothing else: the profile as JSON, and the style and the
 * script of html_page.css and html_page.js. The hottest functions have their
 * code and source in it, the others the addresses with samples.
 *
 * Functions are written one by one, so that a large profile takes no more
 * memory than a small one.
 */
#include "common/memory.h"
#include "common/message.h"
#include "content/listing.h"
#include "content/report.h"
#include "html_page.h"
#include "object/frames.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LISTED_FUNCTIONS	60
#define CONTEXT			12	/* lines around those with samples */
#define PROCESSES_MOST		200	/* more of them are shown by name */

/* --- JSON -------------------------------------------------------------------- */

/* In strings only, where HTML must not find the end of the script. */
static int write_escaped(const char *buffer, size_t size, void *context)
{
	FILE *out = context;
	size_t i;

	for (i = 0; i < size; i++) {
		if (buffer[i] == '<')
			fputs("\\u003c", out);
		else
			fputc(buffer[i], out);
	}
	return 0;
}

/* Takes @value over. */
static void write_json(json_t *value, FILE *out)
{
	if (!value || json_dump_callback(value, write_escaped, out,
					 JSON_COMPACT | JSON_ENCODE_ANY))
		die("cannot write JSON");
	json_decref(value);
}

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
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

static json_t *make_line(const struct listing_line *line)
{
	char label[24];

	if (line->number)
		snprintf(label, sizeof(label), "%d", line->number);
	else
		snprintf(label, sizeof(label), "%" PRIx64, line->address);
	return json_pack("[I,s,s]", (json_int_t)line->samples, label, line->text);
}

/* A line without a label stands for those that are left out. */
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
	return json_pack("{s:s,s:I,s:o}", "title", listing->title, "elsewhere",
			 (json_int_t)listing->elsewhere, "lines",
			 make_lines(listing));
}

static json_t *make_listings(const struct report *report, const struct row *row,
			     bool listed)
{
	struct listing code = { NULL }, source = { NULL };
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

/* --- processes ----------------------------------------------------------------- */

static bool by_name(const struct profile *profile)
{
	return profile->nprocesses > PROCESSES_MOST;
}

/* Index of what the page has in the place of a process. */
static size_t group_of(const struct profile *profile, uint32_t process)
{
	return by_name(profile) ? profile->processes[process].command : process;
}

static size_t count_groups(const struct profile *profile)
{
	return by_name(profile) ? profile->ncommands : profile->nprocesses;
}

static json_t *make_process(const struct profile *profile, size_t i)
{
	const struct process *process = &profile->processes[i];
	json_t *made;

	if (by_name(profile))
		return json_pack("{s:s,s:s}", "name", profile->commands[i],
				 "title", profile->commands[i]);
	made = json_pack("{s:s,s:s,s:I}", "name",
			 profile->commands[process->command], "title",
			 report_process_title(profile, process), "pid",
			 (json_int_t)process->pid);
	if (process->ended_ns)
		json_object_set_new(made, "wall", integer(process->ended_ns -
							  process->started_ns));
	return made;
}

static json_t *make_processes(const struct profile *profile)
{
	json_t *processes = json_array();
	size_t n = count_groups(profile), i;

	for (i = 0; i < n; i++)
		json_array_append_new(processes, make_process(profile, i));
	return processes;
}

static json_t *make_objects(const struct profile *profile)
{
	json_t *objects = json_array();
	size_t i;

	for (i = 0; i < profile->nobjects; i++)
		json_array_append_new(objects, json_pack("{s:s,s:s,s:I}",
			"name", profile->objects[i].name,
			"path", profile->objects[i].shown,
			"pid", (json_int_t)profile->objects[i].pid));
	return objects;
}

/* --- functions ----------------------------------------------------------------- */

/* Whether the row's function is where the place's code comes from itself. */
static bool is_self(const struct report *report, const struct row *row,
		    const struct place *place)
{
	struct object *object = &report->profile->objects[row->object];
	struct frame frames[FRAMES_MOST];
	size_t n;

	if (row->samples == row->total)
		return true;
	n = frames_at(object, place->address, frames);
	return functions_frame(row, frames, n) == &frames[0];
}

struct share {
	uint64_t	samples, ns;
};

/* [process, samples, ns] of each process that has been in the function. */
static json_t *make_shares(const struct report *report, const struct row *row)
{
	const struct profile *profile = report->profile;
	size_t n = count_groups(profile), i;
	struct share *shares = allocate(n * sizeof(*shares));
	json_t *made = json_array();

	for (i = 0; i < row->nplaces; i++) {
		const struct place *place = &profile->places[row->places[i]];
		struct share *share = &shares[group_of(profile, place->process)];

		if (!is_self(report, row, place))
			continue;
		share->samples += place->samples;
		share->ns += place->ns;
	}
	for (i = 0; i < n; i++)
		if (shares[i].samples)
			json_array_append_new(made, json_pack("[I,I,I]",
				(json_int_t)i, (json_int_t)shares[i].samples,
				(json_int_t)shares[i].ns));
	free(shares);
	return made;
}

static json_t *make_sites(const struct row *row)
{
	json_t *sites = json_array();
	size_t i;

	for (i = 0; i < row->nsites; i++)
		json_array_append_new(sites, json_pack("[I,s]",
			(json_int_t)row->sites[i].samples, row->sites[i].name));
	return sites;
}

static json_t *make_function(const struct report *report, size_t i)
{
	const struct row *row = &report->functions.rows[i];
	char *place = report_place_name(report, row);
	json_t *made = json_pack("{s:s,s:I,s:I,s:I,s:I,s:s,s:o,s:o}",
		"name", row->name, "object", (json_int_t)row->object,
		"samples", (json_int_t)row->samples, "ns", (json_int_t)row->ns,
		"total", (json_int_t)row->total, "place", place,
		"by", make_shares(report, row),
		"listings", make_listings(report, row, i < LISTED_FUNCTIONS));

	if (row->inlined)
		json_object_set_new(made, "sites", make_sites(row));
	free(place);
	return made;
}

/* --- the page ------------------------------------------------------------------ */

static char *totals(const struct report *report)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		out_of_memory();
	report_totals(report, out);
	fclose(out);
	return text;
}

static json_t *make_date(uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm when;
	char text[40];

	if (!gmtime_r(&seconds, &when) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &when))
		return json_string("");
	return json_string(text);
}

static json_t *make_head(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct process *first = profile_first(profile);
	char *text = totals(report);
	json_t *made = json_pack("{s:s,s:s,s:s,s:o,s:I,s:I,s:o,s:o}",
		"name", first ? report_process_title(profile, first) : "profil",
		"host", first && first->host ? first->host : "",
		"totals", text,
		"date", make_date(first ? first->started_ns : 0),
		"ns", (json_int_t)profile->ns,
		"samples", (json_int_t)profile->samples,
		"objects", make_objects(profile),
		"processes", make_processes(profile));

	free(text);
	return made;
}

static void write_data(const struct report *report, FILE *out)
{
	size_t n = report->functions.n, i;

	if (report->limit && n > report->limit)
		n = report->limit;
	fputs("{\"profile\":", out);
	write_json(make_head(report), out);
	fputs(",\"functions\":[", out);
	for (i = 0; i < n && report->functions.rows[i].samples; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_json(make_function(report, i), out);
	}
	fputs("]}", out);
}

static const char head[] =
"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
"<meta name=\"color-scheme\" content=\"light dark\">\n"
"<title>profil</title>\n<style>\n";
static const char middle[] =
"</style>\n</head>\n<body>\n"
"<h1></h1>\n<p id=\"when\"></p>\n<p id=\"totals\"></p>\n"
"<div id=\"parts\">\n"
"<section><h2>Objects</h2><ul id=\"objects\"></ul></section>\n"
"<section><h2>Processes</h2><ul id=\"processes\"></ul></section>\n"
"</div>\n"
"<div id=\"controls\"><input id=\"search\" type=\"search\" "
"aria-label=\"Search functions\" placeholder=\"Search functions\">"
"<button id=\"all\" hidden>Show all</button>"
"<span id=\"found\" role=\"status\"></span></div>\n"
"<table id=\"profile\"><thead><tr>\n"
"<th data-key=\"ns\" class=\"share\" aria-sort=\"descending\"><button>Share</button></th>\n"
"<th data-key=\"samples\" class=\"number\"><button>Samples</button></th>\n"
"<th data-key=\"ns\" class=\"number\"><button>Seconds</button></th>\n"
"<th data-key=\"name\" class=\"name\"><button>Function</button></th>\n"
"<th data-key=\"object\" class=\"object\"><button>Object</button></th>\n"
"<th data-key=\"place\" class=\"place\"><button>Hottest</button></th>\n"
"</tr></thead><tbody></tbody></table>\n"
"<button id=\"more\" hidden></button>\n"
"<script type=\"application/json\" id=\"data\">\n";

bool report_html(const struct report *report, FILE *out)
{
	fprintf(out, "%s%s%s", head, page_css, middle);
	write_data(report, out);
	fprintf(out, "\n</script>\n<script>\n%s</script>\n</body>\n</html>\n",
		page_js);
	return true;
}
