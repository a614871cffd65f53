// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/totals.h"
#include "object/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/profil.h>
#include <linux/profil_stacks.h>
#include <string.h>

double totals_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

const char *totals_by_number(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

size_t totals_sampled(const struct profile *profile)
{
	size_t n = 0, i;

	for (i = 0; i < profile->nprocesses; i++)
		n += profile->processes[i].samples > 0;
	return n;
}

size_t totals_processes(const struct profile *profile)
{
	return profile->samples == profile->all_samples ?
		profile->nprocesses : totals_sampled(profile);
}

static const char *rate_name(const struct profile *profile)
{
	switch (profile->rate) {
	case PROFIL_RATE_FAST:
		return "fast clock";
	case PROFIL_RATE_TICK:
		return "every tick";
	default:
		return "clock tick";
	}
}

/* Prints how many samples have complete stacks. */
static void print_stacks(const struct profile *profile, FILE *out)
{
	const struct stacks *stacks = &profile->stacks;
	uint64_t whole = 0, cut = 0, guessed = 0, deep = 0;
	unsigned int flags;

	for (flags = 0; flags < STACK_FLAGS; flags++) {
		uint64_t samples = stacks->by_flags[flags];

		if (flags & STACK_CUT)
			cut += samples;
		else if (!(flags & STACK_NONE))
			whole += samples;
		if (flags & STACK_GUESSED)
			guessed += samples;
		if (flags & STACK_DEEP)
			deep += samples;
	}
	fprintf(out, "%" PRIu64 " %s with all callers, %" PRIu64 " with some",
		whole, totals_by_number(whole, "sample", "samples"), cut);
	fprintf(out, ", %" PRIu64 " with none", profile->samples - whole - cut);
	if (guessed)
		fprintf(out, "; %" PRIu64 " with guessed callers", guessed);
	fputc('\n', out);
	if (deep)
		fprintf(out, "%" PRIu64 " %s more than %d frames: the outermost are missing\n",
			deep, totals_by_number(deep, "sample has", "samples have"),
			PROFIL_STACK_FRAMES);
}

static const char *start_error(uint32_t error)
{
	switch (error) {
	case EDQUOT:
		return "this user has as many as the module's max_profiles allows";
	case EACCES:
		return "the fast rate is not allowed any more (restrict_fastprof)";
	case EPERM:
		return "the administrator has switched profiling off";
	default:
		return strerror((int)error);
	}
}

static void print_unprofiled(uint64_t n, const char *one, const char *many,
			     uint32_t error, const char *why, FILE *out)
{
	if (n)
		fprintf(out, "%" PRIu64 " %s%s%s\n", n, totals_by_number(n, one, many),
			error ? ": " : "", error ? why : "");
}

static void print_doubts(const struct profile *profile, FILE *out)
{
	if (profile->full)
		fprintf(out, "%" PRIu64 " %s full: later samples are missing\n",
			profile->full, totals_by_number(profile->full, "file was", "files were"));
	if (profile->faulted)
		fprintf(out, "%" PRIu64 " %s could not be written (disk full, or not local)\n",
			profile->faulted, totals_by_number(profile->faulted, "file", "files"));
	if (profile->denied)
		fprintf(out, "%" PRIu64 " %s incomplete: the kernel refused to go on: %s\n",
			profile->denied, totals_by_number(profile->denied, "file is", "files are"),
			start_error(profile->start_error ? profile->start_error : EPERM));
	if (profile->lost)
		fprintf(out, "%" PRIu64 " %s lost: the memory was not available in time\n",
			profile->lost,
			totals_by_number(profile->lost, "sample was", "samples were"));
	if (profile->waits_lost)
		fprintf(out, "%" PRIu64 " %s lost: the thread or the memory was gone\n",
			profile->waits_lost,
			totals_by_number(profile->waits_lost, "sample of a wait was",
					 "samples of waits were"));
	if (profile->running)
		fprintf(out, "%" PRIu64 " %s\n", profile->running,
			totals_by_number(profile->running, "process still runs", "processes still run"));
	print_unprofiled(profile->unprofiled - profile->refused,
			 "process could not create a file", "processes could not create a file",
			 profile->file_error, strerror((int)profile->file_error), out);
	print_unprofiled(profile->refused,
			 "process was refused a profile", "processes were refused a profile",
			 profile->start_error, start_error(profile->start_error), out);
	if (profile->taken)
		fprintf(out, "%" PRIu64 " %s not included\n", profile->taken,
			totals_by_number(profile->taken, "profile that a program started itself is",
				  "profiles that programs started themselves are"));
}

/* Samples in code that neither an object nor a perf-PID.map names. */
static uint64_t outside(const struct report *report)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < report->functions.n; i++) {
		const struct row *row = &report->functions.rows[i];

		if (report->profile->objects[row->object].pid && !row->known)
			samples += row->samples;
	}
	return samples;
}

const char *totals_time(const struct profile *profile)
{
	static const char *const names[] = {
		[SHOW_CPU] = "CPU time", [SHOW_WALL] = "wall time",
		[SHOW_WAITS] = "waiting time",
	};

	return names[profile->shown];
}

#define WAITS_MOST	4	/* system calls */

/* Prints "read 2.900 s, futex 1.020 s, ...". */
static void print_calls(const struct profile *profile, FILE *out)
{
	size_t i;

	for (i = 0; i < profile->nwaits && i < WAITS_MOST; i++) {
		const struct place *wait = &profile->waits[i];
		/* "[read] waiting" */
		const char *name = symbols_function(&profile->objects[wait->object],
						    wait->address)->name;

		fprintf(out, "%s %.*s %.3f s", i ? "," : ":",
			(int)strcspn(name + 1, "]"), name + 1,
			(double)wait->ns / NS_PER_SECOND);
	}
	if (i < profile->nwaits)
		fprintf(out, ", ...");
}

static void print_waits(const struct profile *profile, FILE *out)
{
	uint64_t waiting = profile->kind_ns[KIND_WAITING];
	uint64_t runnable = profile->kind_ns[KIND_RUNNABLE];

	if (waiting) {
		fprintf(out, "%.3f s waiting", (double)waiting / NS_PER_SECOND);
		print_calls(profile, out);
	}
	if (runnable)
		fprintf(out, "%s%.3f s waiting for a CPU", waiting ? "; " : "",
			(double)runnable / NS_PER_SECOND);
	if (waiting || runnable)
		fputc('\n', out);
}

static void print_wall(const struct profile *profile, FILE *out)
{
	uint64_t wall = profile_wall(profile);

	if (!wall)
		return;
	fprintf(out, "%.3f s from start to end", (double)wall / NS_PER_SECOND);
	if (profile->shown == SHOW_CPU)
		fprintf(out, ": %.0f%% of a CPU", totals_percent(profile->ns, wall));
	fputc('\n', out);
}

void totals_write(const struct report *report, FILE *out)
{
	const struct profile *profile = report->profile;

	fprintf(out, "%" PRIu64 " %s, %.3f s of %s in %zu %s",
		profile->samples, totals_by_number(profile->samples, "sample", "samples"),
		(double)profile->ns / NS_PER_SECOND,
		totals_time(profile), totals_processes(profile),
		totals_by_number(totals_processes(profile), "process", "processes"));
	if (profile->mixed)
		fprintf(out, ", different rates");
	else
		fprintf(out, ", %" PRIu64 " samples a second (%s)",
			profile_rate(profile), rate_name(profile));
	fputc('\n', out);
	print_waits(profile, out);
	if (profile->samples != profile->all_samples)
		fprintf(out, "%.2f%% of %" PRIu64 " samples are selected\n",
			totals_percent(profile->samples, profile->all_samples),
			profile->all_samples);
	else
		print_wall(profile, out);
	fprintf(out, "%" PRIu64 " lost, %" PRIu64 " outside all objects\n",
		profile->lost, outside(report));
	print_stacks(profile, out);
	print_doubts(profile, out);
}
