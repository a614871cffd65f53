// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One page that loads nothing else: the profile as JSON, with html_*.css, .html and .js.
 * Its policy forbids the network. The page has the code and source of the hottest
 * functions, and addresses with samples for the others.
 *
 * Functions are written one by one, so that a large profile takes no more memory than
 * a small one.
 */
#include "common/memory.h"
#include "content/report.h"
#include "content/titles.h"
#include "content/totals.h"
#include "formats/formats.h"
#include "formats/html_bins.h"
#include "formats/html_function.h"
#include "formats/html_stacks.h"
#include "formats/html_value.h"
#include "html_page.h"

#include <jansson.h>
#include <stdlib.h>
#include <time.h>

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* --- processes ----------------------------------------------------------------- */

static json_t *make_process(const struct profile *profile, size_t i)
{
	const struct process *process = &profile->processes[i];
	json_t *made;

	if (html_bins_by_name(profile))
		return json_pack("{s:s,s:s}", "name", profile->commands[i],
				 "title", profile->commands[i]);
	made = json_pack("{s:s,s:s,s:I}", "name",
			 profile->commands[process->command], "title",
			 titles_process(profile, process), "pid",
			 (json_int_t)process->pid);
	if (process->ended_ns)
		json_object_set_new(made, "wall", integer(process->ended_ns -
							  process->started_ns));
	return made;
}

static json_t *make_processes(const struct profile *profile)
{
	json_t *processes = json_array();
	size_t n = html_bins_groups(profile), i;

	for (i = 0; i < n; i++)
		json_array_append_new(processes, make_process(profile, i));
	return processes;
}

static json_t *make_object(const struct object *object)
{
	json_t *made = json_pack("{s:s,s:s,s:I}", "name", object->name, "path",
				 object->shown, "pid", (json_int_t)object->pid);

	if (object->kernel)
		json_object_set_new(made, "kernel", json_true());
	if (object->kind)
		json_object_set_new(made, "waits", integer(object->kind));
	return made;
}

static json_t *make_objects(const struct profile *profile)
{
	json_t *objects = json_array();
	size_t i;

	for (i = 0; i < profile->nobjects; i++)
		json_array_append_new(objects, make_object(&profile->objects[i]));
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
	totals_write(report, out);
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

/* What a profile is of, and when it began. */
static json_t *make_title(const struct profile *profile)
{
	const struct process *first = profile_first(profile);

	return json_pack("{s:s,s:s,s:o}",
		"name", first ? titles_process(profile, first) : "profil",
		"host", first && first->host ? first->host : "",
		"date", make_date(first ? first->started_ns : 0));
}

static json_t *make_head(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct report *before = report->before;
	char *text = totals(report);
	json_t *made = make_title(profile);
	json_t *more = json_pack("{s:s,s:I,s:I,s:o,s:o}",
		"totals", text,
		"ns", (json_int_t)profile->ns,
		"samples", (json_int_t)profile->samples,
		"objects", make_objects(profile),
		"processes", make_processes(profile));

	json_object_update(made, more);
	json_decref(more);
	if (before && before->profile)
		json_object_set_new(made, "before", make_title(before->profile));
	free(text);
	return made;
}

/* The number of functions in the table: those with samples, up to the limit. */
static size_t count_functions(const struct report *report)
{
	size_t n = 0;

	while (n < report->functions.n && report->functions.rows[n].samples &&
	       (!report->limit || n < report->limit))
		n++;
	return n;
}

static void write_data(const struct report *report, FILE *out)
{
	size_t n = count_functions(report), i;
	struct html_stacks stacks;

	html_stacks_begin(&stacks, report, n);
	fputs("{\"profile\":", out);
	html_value_json(make_head(report), out);
	fputs(",\"functions\":[", out);
	for (i = 0; i < n; i++) {
		fputs(i ? ",\n" : "\n", out);
		html_function(report, i, out);
	}
	fputs("],\n", out);
	html_stacks_end(&stacks, out);
	fputs("}", out);
}

static const char head[] =
"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
"<meta name=\"color-scheme\" content=\"light dark\">\n"
"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
"script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "
"form-action 'none'\">\n"
"<title>profil</title>\n<style>\n";
static const char middle[] =
"</style>\n</head>\n<body>\n";

/* The parts of one script. A part uses only earlier ones while it loads. */
static const char *const scripts[] = {
	html_base_js, html_stacks_js, html_counts_js, html_frames_js,
	html_flame_js, html_flame_use_js, html_strip_js, html_range_js,
	html_parts_js, html_code_js, html_table_js, html_page_js,
};

bool report_html(const struct report *report, FILE *out)
{
	size_t i;

	fprintf(out, "%s%s%s%s%s", head, html_page_css, html_stacks_css, middle,
		html_body_html);
	fputs("<script type=\"application/json\" id=\"data\">\n", out);
	write_data(report, out);
	fputs("\n</script>\n<script>\n", out);
	for (i = 0; i < length_of(scripts); i++)
		fputs(scripts[i], out);
	fputs("</script>\n</body>\n</html>\n", out);
	return true;
}
