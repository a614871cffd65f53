// SPDX-License-Identifier: LGPL-2.1-or-later
/* The index of a group is that of its thread, process, object, function or phase. */
#include "report/groups.h"
#include "common/compare.h"
#include "common/memory.h"
#include "content/phases.h"
#include "content/source_lines.h"
#include "content/text_columns.h"
#include "content/titles.h"
#include "content/totals.h"

#include <inttypes.h>
#include <stdlib.h>

struct group {
	size_t		index;
	uint64_t	samples, ns;
	bool		waits;		/* perhaps without samples that count */
};

struct groups {
	struct group	*list;
	size_t		n;
};

static void add(struct groups *groups, size_t index, uint64_t samples, uint64_t ns)
{
	groups->list[index].samples += samples;
	groups->list[index].ns += ns;
}

/* --- each way to group samples, and the names of the groups ----------------------- */

static void group_places(struct groups *groups, const struct report *report)
{
	const struct profile *profile = report->profile;
	size_t i;

	for (i = 0; i < profile->nplaces; i++) {
		const struct place *place = &profile->places[i];

		add(groups, report->by == BY_OBJECT ? place->object : place->process,
		    place->samples, place->ns);
	}
}

static char *process_name(const struct report *report, size_t index)
{
	const struct process *process = &report->profile->processes[index];

	return format_text("%" PRIu32 "  %s", process->pid,
			   titles_process(report->profile, process));
}

static char *object_name(const struct report *report, size_t index)
{
	return copy_text(report->profile->objects[index].shown);
}

static void group_threads(struct groups *groups, const struct report *report)
{
	const struct stacks *stacks = &report->profile->stacks;
	size_t i;

	for (i = 0; i < stacks->nthreads; i++) {
		const struct thread *thread = &stacks->threads[i];

		add(groups, i, thread->samples, thread->ns);
		groups->list[i].waits = thread->kind_ns[KIND_WAITING] ||
					thread->kind_ns[KIND_RUNNABLE];
	}
}

static char *thread_name(const struct report *report, size_t index)
{
	const struct profile *profile = report->profile;
	const struct thread *thread = &profile->stacks.threads[index];
	const struct process *process = &profile->processes[thread->process];
	const char *command = profile->commands[process->command];

	if (!thread->id)
		return format_text("unknown, of %s, %" PRIu32, command,
				   process->pid);
	return format_text("%" PRIu32 "  %s, of %s, %" PRIu32, thread->id,
			   thread->name ? thread->name : "-", command,
			   process->pid);
}

/* A system call is a function. These two groups follow the functions. */
enum { USER, UNKNOWN };

static void group_calls(struct groups *groups, const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct stacks *stacks = &profile->stacks;
	const struct stack_frames *frames = &report->functions.frames;
	size_t i;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];
		const struct stack_node *node = &stacks->nodes[count->node];
		size_t index = report->functions.n + USER;

		if (profile->objects[node->object].kernel)
			index = frames->rows[frames->of_node[count->node]];
		else if (!stacks->threads[count->thread].id)
			index = report->functions.n + UNKNOWN;
		add(groups, index, count->samples, count->ns);
	}
}

static char *call_name(const struct report *report, size_t index)
{
	const struct row *row = &report->functions.rows[index];
	bool narrow;

	if (index >= report->functions.n)
		return format_text(index - report->functions.n == USER ?
				   "in user mode" : "unknown");
	narrow = report->profile->objects[row->object].kernel == 32;
	return format_text("%s%s", row->name, narrow ? " (32-bit)" : "");
}

/* The index of a line is that of its first place. */
static void group_lines(struct groups *groups, const struct report *report)
{
	const struct profile *profile = report->profile;
	size_t *first = source_lines_first(report), i;

	for (i = 0; i < profile->nplaces; i++)
		add(groups, first[i], profile->places[i].samples, profile->places[i].ns);
	free(first);
}

struct phase_groups {
	struct groups		*groups;
	const struct profile	*profile;
};

/* The last group is for no phase. */
static void add_phase(void *context, uint32_t name, const struct moment *part)
{
	const struct phase_groups *to = context;
	const struct profile *profile = to->profile;
	uint32_t process = profile->stacks.threads[part->thread].process;

	add(to->groups, name == PHASE_NONE ? profile->nphase_names : name, part->samples,
	    part->samples * profile->processes[process].period_ns);
}

static void group_phases(struct groups *groups, const struct report *report)
{
	struct phase_groups to = { groups, report->profile };

	phases_visit(report->profile, add_phase, &to);
}

static char *phase_name(const struct report *report, size_t index)
{
	const struct profile *profile = report->profile;

	return copy_text(index < profile->nphase_names ? profile->phase_names[index] : "none");
}

static const struct grouping {
	const char	*title;
	void		(*group)(struct groups *groups, const struct report *report);
	char		*(*name)(const struct report *report, size_t index);
} groupings[] = {
	[BY_THREAD]	= { "thread", group_threads, thread_name },
	[BY_PROCESS]	= { "process", group_places, process_name },
	[BY_OBJECT]	= { "object", group_places, object_name },
	[BY_SYSCALL]	= { "system call", group_calls, call_name },
	[BY_LINE]	= { "line", group_lines, source_lines_name },
	[BY_PHASE]	= { "phase", group_phases, phase_name },
};

/* --- the table --------------------------------------------------------------------- */

static size_t most_groups(const struct report *report)
{
	const struct profile *profile = report->profile;
	const size_t sizes[] = {
		[BY_THREAD] = profile->stacks.nthreads,
		[BY_PROCESS] = profile->nprocesses,
		[BY_OBJECT] = profile->nobjects,
		[BY_SYSCALL] = report->functions.n + 2,
		[BY_LINE] = profile->nplaces,
		[BY_PHASE] = profile->nphase_names + 1,
	};

	return sizes[report->by];
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return compare_numbers(y->ns, x->ns) ?: compare_numbers(x->index, y->index);
}

static void sort_groups(struct groups *groups)
{
	size_t i, n = 0;

	for (i = 0; i < groups->n; i++) {
		groups->list[i].index = i;
		if (groups->list[i].samples || groups->list[i].waits)
			groups->list[n++] = groups->list[i];
	}
	groups->n = n;
	if (n)
		qsort(groups->list, n, sizeof(*groups->list), compare_groups);
}

/* Threads have a column for each kind of time. */
static bool has_kinds(const struct report *report)
{
	return report->by == BY_THREAD && report->profile->has_waits;
}

static int print_numbers(const struct report *report, const struct group *group,
			 FILE *out)
{
	const uint64_t *ns = report->profile->stacks.threads[group->index].kind_ns;

	if (!has_kinds(report))
		return fprintf(out, " %9" PRIu64 " %9.3f  ", group->samples,
			       (double)group->ns / NS_PER_SECOND);
	return fprintf(out, " %9.3f %9.3f %9.3f  ",
		       (double)ns[KIND_RUNNING] / NS_PER_SECOND,
		       (double)ns[KIND_WAITING] / NS_PER_SECOND,
		       (double)ns[KIND_RUNNABLE] / NS_PER_SECOND);
}

static void print_group(const struct report *report, const struct group *group,
			FILE *out)
{
	char *name = groupings[report->by].name(report, group->index);
	int used = fprintf(out, "%6.2f%%",
			   totals_percent(group->ns, report->profile->ns));

	used += print_numbers(report, group, out);

	if (report->width)
		text_columns_print(out, name,
				   report->width > (size_t)used ?
				   report->width - (size_t)used : 1, false);
	else
		fputs(name, out);
	fputc('\n', out);
	free(name);
}

static void print_groups(const struct report *report, const struct groups *groups,
			 FILE *out)
{
	size_t n = groups->n, i;

	while (n && totals_percent(groups->list[n - 1].ns, report->profile->ns) <
		    report->least)
		n--;
	if (report->limit && n > report->limit)
		n = report->limit;
	fprintf(out, "  share %s  %s\n", has_kinds(report) ?
		"  running   waiting  runnable" : "  samples   seconds",
		groupings[report->by].title);
	for (i = 0; i < n; i++)
		print_group(report, &groups->list[i], out);
	if (n < groups->n)
		fprintf(out, "        and %zu more (-n 0 shows all)\n",
			groups->n - n);
	fputc('\n', out);
	totals_write(report, out);
}

bool report_groups(const struct report *report, FILE *out)
{
	const struct grouping *grouping = &groupings[report->by];
	struct groups groups = { .n = most_groups(report) };

	groups.list = allocate(groups.n * sizeof(*groups.list));
	grouping->group(&groups, report);
	sort_groups(&groups);
	print_groups(report, &groups, out);
	free(groups.list);
	return true;
}
