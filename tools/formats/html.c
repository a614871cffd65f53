// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One page that needs nothing else: the profile as JSON, the style and the script,
 * html_page.css, html_page.js and html_code.js. The hottest functions have their
 * code and source in it, the others the addresses with samples.
 *
 * Functions are written one by one, so that a large profile takes no more
 * memory than a small one.
 */
#include "common/memory.h"
#include "common/message.h"
#include "content/report.h"
#include "content/titles.h"
#include "content/totals.h"
#include "formats/formats.h"
#include "formats/html_function.h"
#include "html_page.h"

#include <jansson.h>
#include <stdlib.h>
#include <time.h>

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

/* --- processes ----------------------------------------------------------------- */

static json_t *make_process(const struct profile *profile, size_t i)
{
	const struct process *process = &profile->processes[i];
	json_t *made;

	if (html_by_name(profile))
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
	size_t n = html_groups(profile), i;

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
		write_json(html_function(report, i), out);
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
	fprintf(out, "%s%s%s", head, html_page_css, middle);
	write_data(report, out);
	fprintf(out, "\n</script>\n<script>\n%s%s</script>\n</body>\n</html>\n",
		html_page_js, html_code_js);
	return true;
}
