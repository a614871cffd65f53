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

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

static PprofLabel *label(struct pprof_writer *writer, const char *key,
			 const char *text, int64_t number)
{
	PprofLabel *made =
		pprof_writer_message(writer, PprofLabel, pprof_label__init);

	made->key = pprof_writer_string(writer, key);
	if (text)
		made->text = pprof_writer_string(writer, text);
	made->num = number;
	return made;
}

/* An unknown thread gets no label. */
static void add_labels(struct pprof_writer *writer, PprofSample *sample,
		       const struct profile *profile,
		       const struct thread *thread, int sign)
{
	const struct process *found = &profile->processes[thread->process];
	PprofLabel **labels = pprof_writer_get(writer, 5 * sizeof(*labels));

	sample->label = labels;
	*labels++ = label(writer, "command", profile->commands[found->command], 0);
	*labels++ = label(writer, "pid", NULL, found->pid);
	if (thread->id)
		*labels++ = label(writer, "tid", NULL, thread->id);
	if (thread->name)
		*labels++ = label(writer, "thread", thread->name, 0);
	if (sign < 0)
		*labels++ = label(writer, "pprof::base", "true", 0);
	sample->n_label = (size_t)(labels - sample->label);
}

/* With --wall, samples have their CPU time as well, and their wall time last. */
static size_t value_types(const struct profile *profile)
{
	return profile->shown == SHOW_WALL ? 3 : 2;
}

static void add_values(struct pprof_writer *writer, PprofSample *sample,
		       const struct profile *profile, const struct stack_count *count,
		       int sign)
{
	uint32_t object = profile->stacks.nodes[count->node].object;

	sample->n_value = value_types(profile);
	sample->value = pprof_writer_get(writer, 3 * sizeof(*sample->value));
	sample->value[0] = sign * (int64_t)count->samples;
	sample->value[1] = sample->value[2] = sign * (int64_t)count->ns;
	if (sample->n_value == 3 && profile->objects[object].kind != KIND_RUNNING)
		sample->value[1] = 0;
}

static PprofSample *add_sample(struct pprof_writer *writer, size_t nlocations)
{
	PprofSample *sample =
		pprof_writer_message(writer, PprofSample, pprof_sample__init);

	sample->n_location = nlocations;
	sample->location = pprof_writer_get(
		writer, nlocations * sizeof(*sample->location));
	return pprof_writer_append(&writer->samples, sample);
}

/* Makes a location for each list of functions, which is that of one address. */
static uint64_t *find_locations(struct pprof_writer *writer,
				const struct report *report)
{
	const struct stack_frames *frames = &report->functions.frames;
	struct profile *profile = report->profile;
	const struct stacks *stacks = &profile->stacks;
	uint64_t *locations = allocate(frames->n * sizeof(*locations));
	size_t i;

	for (i = 1; i < stacks->nnodes; i++) {
		const struct stack_node *node = &stacks->nodes[i];
		uint32_t list = frames->of_node[i];

		if (list && !locations[list])
			locations[list] = pprof_writer_location(
				writer, profile, node->object, node->address);
	}
	return locations;
}

static size_t depth_of(const struct stacks *stacks, uint32_t node)
{
	size_t n = 0;

	for (; node; node = stacks->nodes[node].parent)
		n++;
	return n;
}

static void add_stacks(struct pprof_writer *writer, const struct report *report, int sign)
{
	const struct profile *profile = report->profile;
	const struct stacks *stacks = &profile->stacks;
	uint64_t *locations = find_locations(writer, report);
	size_t i, n;

	for (i = 0; i < stacks->ncounts; i++) {
		const struct stack_count *count = &stacks->counts[i];
		const struct thread *thread = &stacks->threads[count->thread];
		uint32_t node = count->node;
		PprofSample *sample = add_sample(writer, depth_of(stacks, node));

		for (n = 0; node; node = stacks->nodes[node].parent)
			sample->location[n++] =
				locations[report->functions.frames.of_node[node]];
		add_values(writer, sample, profile, count, sign);
		add_labels(writer, sample, profile, thread, sign);
	}
	free(locations);
}

static PprofUnit *unit(struct pprof_writer *writer, const char *type, const char *name)
{
	PprofUnit *message =
		pprof_writer_message(writer, PprofUnit, pprof_unit__init);

	message->type = pprof_writer_string(writer, type);
	message->unit = pprof_writer_string(writer, name);
	return message;
}

static void add_profile(struct pprof_writer *writer, const struct report *report, int sign)
{
	const struct profile *profile = report->profile;
	size_t i;

	writer->bases = address_space_bases(profile);
	writer->first = writer->mappings.n;
	for (i = 0; i < profile->nobjects; i++)
		pprof_writer_mapping(writer, &profile->objects[i],
				     writer->bases[i]);
	add_stacks(writer, report, sign);
	free(writer->bases);
}

static void set_types(struct pprof_writer *writer, const struct profile *profile)
{
	static const char *const names[] = {
		[SHOW_CPU] = "cpu", [SHOW_WALL] = "wall", [SHOW_WAITS] = "waiting",
	};
	PprofProfile *out = &writer->profile;
	size_t last = value_types(profile) - 1;

	out->n_sample_type = last + 1;
	out->sample_type =
		pprof_writer_get(writer, 3 * sizeof(*out->sample_type));
	out->sample_type[0] = unit(writer, "samples", "count");
	out->sample_type[1] = unit(writer, "cpu", "nanoseconds");
	out->sample_type[last] = unit(writer, names[profile->shown], "nanoseconds");
	out->period_type = unit(writer, names[profile->shown], "nanoseconds");
}

static void make(struct pprof_writer *writer, const struct report *report)
{
	struct profile *profile = report->profile;
	PprofProfile *out = &writer->profile;

	pprof_profile__init(out);
	pprof_writer_string(writer, "");
	set_types(writer, profile);
	out->period = (int64_t)profile->period_ns;
	out->time_ns = (int64_t)(profile->nprocesses ? profile_first(profile)->started_ns : 0);
	if (profile->samples == profile->all_samples)
		out->duration_ns = (int64_t)profile_wall(profile);
	add_profile(writer, report, 1);
	if (report->before && report->before->profile)
		add_profile(writer, report->before, -1);
#define set(field, list) (out->n_##field = (list).n,			\
			  out->field = (void *)(list).items)
	set(sample, writer->samples);
	set(mapping, writer->mappings);
	set(location, writer->locations);
	set(function, writer->functions);
	set(string_table, writer->strings);
#undef set
}

static bool deflate_to(FILE *out, z_stream *stream)
{
	static uint8_t buffer[65536];
	int result;

	do {
		stream->next_out = buffer;
		stream->avail_out = sizeof(buffer);
		result = deflate(stream, Z_FINISH);
		fwrite(buffer, 1, sizeof(buffer) - stream->avail_out, out);
	} while (result == Z_OK);
	return result == Z_STREAM_END;
}

/* Writes one gzip member. Returns false if the data are too large, or on an error. */
static bool write_gzip(FILE *out, uint8_t *bytes, size_t size)
{
	z_stream stream = { .next_in = bytes, .avail_in = (unsigned int)size };
	bool done;

	if (size > UINT_MAX ||
	    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS,
			 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	done = deflate_to(out, &stream);
	deflateEnd(&stream);
	return done;
}

bool report_pprof(const struct report *report, FILE *out)
{
	const struct profile *before = report->before ? report->before->profile : NULL;
	struct pprof_writer writer = { .first = 0 };
	uint8_t *bytes;
	size_t size;
	bool done;

	if (before && before->runs != report->profile->runs) {
		warn("cannot subtract %u runs from %u: compare as many runs on each side",
		     before->runs, report->profile->runs);
		return false;
	}
	make(&writer, report);
	size = pprof_profile__get_packed_size(&writer.profile);
	bytes = allocate(size);
	pprof_profile__pack(&writer.profile, bytes);
	done = write_gzip(out, bytes, size);
	if (!done)
		warn("cannot compress the profile");
	free(bytes);
	pprof_writer_release(&writer);
	return done;
}
