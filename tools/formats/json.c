// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * speedscope's JSON: a profile for each thread, with weighted stacks in order of time.
 * Stacks are written one by one, because in memory they would take much more space.
 */
#include "common/clean_text.h"
#include "common/memory.h"
#include "common/message.h"
#include "content/report.h"
#include "content/timeline.h"
#include "formats/formats.h"
#include "object/frames.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

static void write_text(const char *text, FILE *out)
{
	json_t *string = json_string(text);

	if (!string || json_dumpf(string, out, JSON_ENCODE_ANY))
		die("cannot write JSON");
	json_decref(string);
}

/* The declaration of the function, or its first line, or its object. */
static void write_line(const struct report *report, const struct row *row, FILE *out)
{
	struct object *object = &report->profile->objects[row->object];
	struct line line = row->declared;
	char *file;

	if (!row->inlined)
		line = frames_declaration(object, row->start);
	if (!row->inlined && !line.file)
		line = frames_line(object, row->start);
	file = clean_text(line.file ? line.file : object->path);
	fputs(",\"file\":", out);
	write_text(file, out);
	if (line.file && line.number > 0)
		fprintf(out, ",\"line\":%d", line.number);
	free(file);
}

static void write_frames(const struct report *report, FILE *out)
{
	size_t i;

	fputs("\"shared\":{\"frames\":[", out);
	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		write_text(row->name, out);
		write_line(report, row, out);
		fputc('}', out);
	}
	fputs("]},\n", out);
}

static char *thread_name(const struct profile *profile, const struct thread *thread)
{
	const struct process *process = &profile->processes[thread->process];
	const char *command = profile->commands[process->command];

	if (!thread->id)
		return format_text("%s %" PRIu32, command, process->pid);
	return format_text("%s %" PRIu32 ", thread %" PRIu32 "%s%s", command,
			   process->pid, thread->id, thread->name ? " " : "",
			   thread->name ? thread->name : "");
}

static void write_stack(const struct report *report, uint32_t node, FILE *out)
{
	const struct call *calls = report->calls.calls;
	uint32_t call = report->calls.of_node[node], n = calls[call].depth, i;
	uint32_t *path = allocate(n * sizeof(*path));

	for (i = n; i--; call = calls[call].parent)
		path[i] = calls[call].row;
	for (i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "[", path[i]);
	fputc(']', out);
	free(path);
}

/* Writes a thread, which has @n stretches from @list on. */
static void write_thread(const struct report *report, const struct stretch *list,
			 size_t n, FILE *out)
{
	const struct profile *profile = report->profile;
	char *name = thread_name(profile, &profile->stacks.threads[list->thread]);
	uint64_t period = timeline_period(profile, list), samples = 0;
	size_t i;

	for (i = 0; i < n; i++)
		samples += list[i].samples;
	fputs("{\"type\":\"sampled\",\"name\":", out);
	write_text(name, out);
	fprintf(out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%"
		PRIu64 ",\n\"samples\":[", samples * period);
	for (i = 0; i < n; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_stack(report, list[i].node, out);
	}
	fputs("],\n\"weights\":[", out);
	for (i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", list[i].samples * period);
	fputs("]}", out);
	free(name);
}

static void write_threads(const struct report *report, FILE *out)
{
	struct timeline timeline;
	size_t i, n;

	timeline_make(&timeline, report->profile);
	fputs("\"profiles\":[", out);
	for (i = 0; i < timeline.n; i += n) {
		const struct stretch *list = &timeline.list[i];

		for (n = 1; i + n < timeline.n && list[n].thread == list->thread;)
			n++;
		fputs(i ? ",\n" : "\n", out);
		write_thread(report, list, n, out);
	}
	fputs("]}\n", out);
	timeline_free(&timeline);
}

bool report_json(const struct report *report, FILE *out)
{
	const struct process *first = profile_first(report->profile);

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	      "\n\"exporter\":\"profil\",\"activeProfileIndex\":0,\"name\":", out);
	write_text(report->profile->commands[first->command], out);
	fputs(",\n", out);
	write_frames(report, out);
	write_threads(report, out);
	return true;
}
