// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * "command;function;called;inlined call N" lines, for flame graphs; where there
 * are no stacks "command;object;function;inlined call N".
 */
#include "common/memory.h"
#include "content/report.h"
#include "formats/formats.h"
#include "object/frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A separator in a name would be another frame. */
static void print_frame(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, out);
}

/* --- with stacks --------------------------------------------------------------- */

struct folded {
	uint32_t	command, call;
	uint64_t	samples;
};

static int compare_folded(const void *a, const void *b)
{
	const struct folded *x = a, *y = b;

	if (x->command != y->command)
		return x->command < y->command ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

static void print_calls(const struct report *report, uint32_t call, FILE *out)
{
	const struct call *calls = report->calls.calls;
	uint32_t *path = allocate(calls[call].depth * sizeof(*path));
	uint32_t n = 0;

	for (; call; call = calls[call].parent)
		path[n++] = calls[call].row;
	while (n--) {
		fputc(';', out);
		print_frame(out, report->functions.rows[path[n]].name);
	}
	free(path);
}

static struct folded *find_folded(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct stacks *stacks = &profile->stacks;
	struct folded *list = allocate(stacks->ncounts * sizeof(*list));
	size_t i;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];
		uint32_t process = stacks->threads[count->thread].process;

		list[i] = (struct folded){
			profile->processes[process].command,
			report->calls.of_node[count->node], count->samples,
		};
	}
	qsort(list, stacks->ncounts, sizeof(*list), compare_folded);
	return list;
}

static void write_calls(const struct report *report, FILE *out)
{
	size_t n = report->profile->stacks.ncounts, i;
	struct folded *list = find_folded(report);
	uint64_t samples = 0;

	for (i = 0; i < n; i++) {
		samples += list[i].samples;
		if (i + 1 < n && !compare_folded(&list[i], &list[i + 1]))
			continue;
		print_frame(out, report->profile->commands[list[i].command]);
		print_calls(report, list[i].call, out);
		fprintf(out, " %" PRIu64 "\n", samples);
		samples = 0;
	}
	free(list);
}

/* --- without ------------------------------------------------------------------- */

static char *stack_of(const struct report *report, const struct place *place)
{
	struct profile *profile = report->profile;
	struct object *object = &profile->objects[place->object];
	struct frame frames[FRAMES_MOST];
	size_t n = frames_at(object, place->address, frames), size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		out_of_memory();
	print_frame(out, profile_command(profile, place));
	fputc(';', out);
	print_frame(out, object->name);
	while (n--) {
		fputc(';', out);
		print_frame(out, frames[n].name);
	}
	fclose(out);
	return text;
}

struct stack {
	char		*text;
	uint64_t	samples;
};

static int compare_stacks(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->text,
		      ((const struct stack *)b)->text);
}

static void write_places(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;
	struct stack *stacks = allocate(profile->nplaces * sizeof(*stacks));
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < profile->nplaces; i++)
		stacks[i] = (struct stack){
			stack_of(report, &profile->places[i]),
			profile->places[i].samples
		};
	if (profile->nplaces)
		qsort(stacks, profile->nplaces, sizeof(*stacks), compare_stacks);
	for (i = 0; i < profile->nplaces; i++) {
		samples += stacks[i].samples;
		if (i + 1 < profile->nplaces &&
		    !strcmp(stacks[i].text, stacks[i + 1].text))
			continue;
		fprintf(out, "%s %" PRIu64 "\n", stacks[i].text, samples);
		samples = 0;
	}
	for (i = 0; i < profile->nplaces; i++)
		free(stacks[i].text);
	free(stacks);
}

bool report_folded(const struct report *report, FILE *out)
{
	if (report->calls.n)
		write_calls(report, out);
	else
		write_places(report, out);
	return true;
}
