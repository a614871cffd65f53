// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The pprof format: a gzipped protocol buffer. It has functions, lines and inlined
 * calls, so viewers do not need the binaries. With --diff, samples of the other side
 * are there with negative values and the label that pprof -diff_base gives them.
 */
#include "common/memory.h"
#include "common/message.h"
#include "content/address_space.h"
#include "content/report.h"
#include "formats/formats.h"
#include "formats/pprof_writer.h"

#include <stdlib.h>

static void add_label(struct pprof_writer *writer, struct varints *labels,
		      const char *key, const char *text, uint64_t number)
{
	struct varints label = { 0 };

	pprof_writer_number(&label, LABEL_KEY, pprof_writer_string(writer, key));
	pprof_writer_number(&label, LABEL_TEXT,
			    text ? pprof_writer_string(writer, text) : 0);
	pprof_writer_number(&label, LABEL_NUMBER, number);
	pprof_writer_part(labels, SAMPLE_LABEL, &label);
	varints_free(&label);
}

/* The labels of each sample of a thread. An unknown thread gets none of its own. */
static void add_labels(struct pprof_writer *writer, struct varints *labels,
		       const struct profile *profile,
		       const struct thread *thread, int sign)
{
	const struct process *found = &profile->processes[thread->process];

	add_label(writer, labels, "command", profile->commands[found->command], 0);
	add_label(writer, labels, "pid", NULL, found->pid);
	if (thread->id)
		add_label(writer, labels, "tid", NULL, thread->id);
	if (thread->name)
		add_label(writer, labels, "thread", thread->name, 0);
	if (sign < 0)
		add_label(writer, labels, "pprof::base", "true", 0);
}

/* With --wall, samples have their CPU time as well, and their wall time last. */
static void add_values(struct varints *values, const struct profile *profile,
		       const struct stack_count *count, int sign)
{
	uint32_t object = profile->stacks.nodes[count->node].object;
	bool runs = profile->objects[object].kind == KIND_RUNNING;

	varints_add(values, (uint64_t)sign * count->samples);
	if (profile->shown == SHOW_WALL)
		varints_add(values, runs ? (uint64_t)sign * count->ns : 0);
	varints_add(values, (uint64_t)sign * count->ns);
}

/*
 * The location of each node. There is one for each list of functions, which is that of
 * one address.
 */
static uint32_t *find_locations(struct pprof_writer *writer,
				const struct report *report)
{
	const struct stack_frames *frames = &report->functions.frames;
	struct profile *profile = report->profile;
	const struct stacks *stacks = &profile->stacks;
	uint32_t *locations = allocate(frames->n * sizeof(*locations));
	uint32_t *of_node = allocate(stacks->nnodes * sizeof(*of_node));
	size_t i;

	for (i = 1; i < stacks->nnodes; i++) {
		const struct stack_node *node = &stacks->nodes[i];
		uint32_t list = frames->of_node[i];

		if (list && !locations[list])
			locations[list] = (uint32_t)pprof_writer_location(
				writer, profile, node->object, node->address);
		of_node[i] = locations[list];
	}
	free(locations);
	return of_node;
}

static void add_stacks(struct pprof_writer *writer, const struct report *report, int sign)
{
	const struct profile *profile = report->profile;
	const struct stacks *stacks = &profile->stacks;
	struct varints *labels = allocate(stacks->nthreads * sizeof(*labels));
	struct varints sample = { 0 }, part = { 0 };
	uint32_t *locations = find_locations(writer, report);
	size_t i;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];
		struct varints *of_thread = &labels[count->thread];
		uint32_t node;

		for (part.n = 0, node = count->node; node; node = stacks->nodes[node].parent)
			varints_add(&part, locations[node]);
		pprof_writer_part(&sample, SAMPLE_LOCATIONS, &part);
		part.n = 0;
		add_values(&part, profile, count, sign);
		pprof_writer_part(&sample, SAMPLE_VALUES, &part);
		if (!of_thread->n)
			add_labels(writer, of_thread, profile,
				   &stacks->threads[count->thread], sign);
		varints_append(&sample, of_thread->bytes, of_thread->n);
		pprof_writer_put(writer, PPROF_SAMPLE, &sample);
	}
	for (i = 0; i < stacks->nthreads; i++)
		varints_free(&labels[i]);
	free(labels);
	varints_free(&sample);
	varints_free(&part);
	free(locations);
}

static void put_unit(struct pprof_writer *writer, unsigned int field, const char *type,
		     const char *name)
{
	struct varints message = { 0 };

	pprof_writer_number(&message, UNIT_TYPE, pprof_writer_string(writer, type));
	pprof_writer_number(&message, UNIT_UNIT, pprof_writer_string(writer, name));
	pprof_writer_put(writer, field, &message);
	varints_free(&message);
}

static void add_profile(struct pprof_writer *writer, const struct report *report, int sign)
{
	struct profile *profile = report->profile;
	size_t i;

	writer->bases = address_space_bases(profile);
	writer->first = writer->mappings;
	for (i = 0; i < profile->nobjects; i++)
		pprof_writer_mapping(writer, &profile->objects[i],
				     writer->bases[i]);
	add_stacks(writer, report, sign);
	free(writer->bases);
}

static void add_head(struct pprof_writer *writer, const struct profile *profile)
{
	static const char *const names[] = {
		[SHOW_CPU] = "cpu", [SHOW_WALL] = "wall", [SHOW_WAITS] = "waiting",
	};
	const char *name = names[profile->shown];
	struct varints *out = &writer->bytes;

	put_unit(writer, PPROF_TYPE, "samples", "count");
	if (profile->shown == SHOW_WALL)
		put_unit(writer, PPROF_TYPE, "cpu", "nanoseconds");
	put_unit(writer, PPROF_TYPE, name, "nanoseconds");
	put_unit(writer, PPROF_PERIOD_TYPE, name, "nanoseconds");
	pprof_writer_number(out, PPROF_PERIOD, profile->period_ns);
	if (profile->nprocesses)
		pprof_writer_number(out, PPROF_TIME, profile_first(profile)->started_ns);
	if (profile->samples == profile->all_samples)
		pprof_writer_number(out, PPROF_DURATION, profile_wall(profile));
}

bool report_pprof(const struct report *report, FILE *out)
{
	const struct profile *before = report->before ? report->before->profile : NULL;
	struct pprof_writer writer;
	bool done;

	if (before && before->runs != report->profile->runs) {
		warn("cannot subtract %u runs from %u: compare as many runs on each side",
		     before->runs, report->profile->runs);
		return false;
	}
	pprof_writer_begin(&writer, out);
	add_head(&writer, report->profile);
	add_profile(&writer, report, 1);
	if (before)
		add_profile(&writer, report->before, -1);
	done = pprof_writer_end(&writer);
	if (!done)
		warn("cannot compress the profile");
	return done;
}
