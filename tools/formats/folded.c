// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines of "command;function;callee;inlined callee N" for flame graphs. */
#include "common/compare.h"
#include "common/memory.h"
#include "content/report.h"
#include "formats/formats.h"

#include <inttypes.h>
#include <stdlib.h>

/* A semicolon in a name would begin another frame. */
static void print_frame(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, out);
}

struct folded {
	uint32_t	command, call;
	uint64_t	samples;
};

static int compare_folded(const void *a, const void *b)
{
	const struct folded *x = a, *y = b;

	return compare_numbers(x->command, y->command) ?:
	       compare_numbers(x->call, y->call);
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

bool report_folded(const struct report *report, FILE *out)
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
	return true;
}
