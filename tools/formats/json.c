// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * speedscope's JSON: a profile for each thread, with weighted stacks in order of time.
 * Stacks are written one by one, because in memory they would take much more space.
 */
#include "common/memory.h"
#include "content/report.h"
#include "content/timeline.h"
#include "formats/formats.h"
#include "formats/json_text.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_line(const struct report *report, const struct row *row, FILE *out)
{
	int line;
	char *file = json_text_file(report, row, &line);

	fputs(",\"file\":", out);
	json_text_write(file, out);
	if (line)
		fprintf(out, ",\"line\":%d", line);
	free(file);
}

static void write_frames(const struct report *report, FILE *out)
{
	size_t i;

	fputs("\"shared\":{\"frames\":[", out);
	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		json_text_write(row->name, out);
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
	json_text_write(name, out);
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
	json_text_write(report->profile->commands[first->command], out);
	fputs(",\n", out);
	write_frames(report, out);
	write_threads(report, out);
	return true;
}
