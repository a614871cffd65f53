// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The processed profile format of the Firefox Profiler, version 48: JSON, with tables for
 * each thread. A table is an object with an array for each column. Stacks are those of
 * the call tree, so inlined calls are calls.
 *
 * A moment is two samples: its first, and at its end the others. The viewer draws the CPU
 * time of a sample from the sample before to this one, so waits are low.
 */
#include "common/compare.h"
#include "common/hash_set.h"
#include "common/memory.h"
#include "common/sort_keys.h"
#include "content/report.h"
#include "content/titles.h"
#include "formats/formats.h"
#include "formats/json_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OTHER, USER, KERNEL, WAITING };	/* categories */

struct sample {
	uint64_t	time_ns;	/* from the start */
	uint64_t	samples;
	uint32_t	call;
};

/* Numbers that are used in a thread's tables, and where each is; 0: not there, else + 1. */
struct used {
	uint32_t	*list, *at;
	size_t		n;
};

struct writer {
	const struct report	*report;
	FILE			*out;
	uint64_t		start_ns;
	/* Of the thread at hand: */
	struct sample		*samples;
	size_t			nsamples, samples_room;
	struct used		calls, rows, objects, texts;
	/* Each text once, and the numbers of those of each row and object: */
	char			**list;
	size_t			ntexts, texts_room;
	struct hash_set		set;
	uint32_t		*name, *file, *object;
	int			*line;		/* of each row */
};

static void use(struct used *used, uint32_t number)
{
	if (used->at[number])
		return;
	used->list[used->n++] = number;
	used->at[number] = (uint32_t)used->n;
}

static void forget(struct used *used)
{
	while (used->n)
		used->at[used->list[--used->n]] = 0;
}

static void make_used(struct used *used, size_t most)
{
	used->list = allocate(most * sizeof(*used->list));
	used->at = allocate(most * sizeof(*used->at));
	used->n = 0;
}

static void free_used(struct used *used)
{
	free(used->list);
	free(used->at);
}

/* --- texts ---------------------------------------------------------------------- */

/* The wanted text is stored behind the others. */
static bool is_same_text(const void *context, uint32_t i)
{
	const struct writer *writer = context;

	return !strcmp(writer->list[i], writer->list[writer->ntexts]);
}

/* The number of @text. Takes it over. */
static uint32_t find_text(struct writer *writer, char *text)
{
	uint32_t *slot;

	hash_set_reserve(&writer->set, writer->ntexts);
	ensure(writer->list, writer->ntexts, writer->texts_room);
	writer->list[writer->ntexts] = text;
	slot = hash_set_find(&writer->set, hash_set_mix_text(0, text), is_same_text, writer);
	if (*slot)
		free(text);
	else
		*slot = (uint32_t)++writer->ntexts;
	return *slot - 1;
}

static void find_texts(struct writer *writer)
{
	const struct report *report = writer->report;
	size_t n = report->functions.n, nobjects = report->profile->nobjects, i;

	writer->name = allocate(n * sizeof(*writer->name));
	writer->file = allocate(n * sizeof(*writer->file));
	writer->line = allocate(n * sizeof(*writer->line));
	writer->object = allocate(nobjects * sizeof(*writer->object));
	for (i = 0; i < n; i++) {
		const struct row *row = &report->functions.rows[i];

		writer->name[i] = find_text(writer, copy_text(row->name));
		writer->file[i] = find_text(writer,
			json_text_file(report, row, &writer->line[i]));
	}
	for (i = 0; i < nobjects; i++)
		writer->object[i] = find_text(writer,
					      copy_text(report->profile->objects[i].name));
}

/* --- columns -------------------------------------------------------------------- */

/* Writes a column: @value, an expression of @i, as printf() does with @format. */
#define column(writer, name, n_, i, format, ...)				\
	do {								\
		FILE *out_ = (writer)->out;				\
		size_t i;						\
									\
		fputs("\"" name "\":[", out_);				\
		for (i = 0; i < (n_); i++)				\
			fprintf(out_, "%s" format, i ? "," : "", __VA_ARGS__); \
		fputs("],\n", out_);					\
	} while (0)

/* The same text in each row. */
#define constant(writer, name, n, value)	column(writer, name, n, i, "%s", value)

static void write_length(const struct writer *writer, size_t n, const char *end)
{
	fprintf(writer->out, "\"length\":%zu}%s", n, end);
}

static const struct call *call_of(const struct writer *writer, size_t i)
{
	return &writer->report->calls.calls[writer->calls.list[i]];
}

static const struct row *row_of(const struct writer *writer, size_t i)
{
	return &writer->report->functions.rows[writer->rows.list[i]];
}

static int category(const struct writer *writer, const struct row *row)
{
	const struct object *object = &writer->report->profile->objects[row->object];

	return object->kind ? WAITING : object->kernel ? KERNEL : USER;
}

/* Waits take no CPU time. */
static uint64_t cpu_samples(const struct writer *writer, size_t i)
{
	const struct report *report = writer->report;
	uint32_t row = report->calls.calls[writer->samples[i].call].row;

	return category(writer, &report->functions.rows[row]) == WAITING ? 0 :
		writer->samples[i].samples;
}

static void write_samples(const struct writer *writer, uint64_t period_ns)
{
	const struct sample *list = writer->samples;
	size_t n = writer->nsamples;

	fputs("\"samples\":{", writer->out);
	column(writer, "stack", n, i, "%" PRIu32, writer->calls.at[list[i].call] - 1);
	column(writer, "time", n, i, "%.3f", (double)list[i].time_ns / 1e6);
	column(writer, "weight", n, i, "%" PRIu64, list[i].samples);
	column(writer, "threadCPUDelta", n, i, "%" PRIu64,
	       cpu_samples(writer, i) * period_ns);
	fputs("\"weightType\":\"samples\",", writer->out);
	write_length(writer, n, ",\n");
}

/* A caller comes before its callees. One without a caller has the prefix null. */
static void write_stacks(const struct writer *writer)
{
	size_t n = writer->calls.n, j;

	fputs("\"stackTable\":{\"prefix\":[", writer->out);
	for (j = 0; j < n; j++) {
		uint32_t parent = call_of(writer, j)->parent;

		if (parent)
			fprintf(writer->out, "%s%" PRIu32, j ? "," : "",
				writer->calls.at[parent] - 1);
		else
			fputs(j ? ",null" : "null", writer->out);
	}
	fputs("],\n", writer->out);
	column(writer, "frame", n, i, "%" PRIu32,
	       writer->rows.at[call_of(writer, i)->row] - 1);
	column(writer, "category", n, i, "%d",
	       category(writer, &writer->report->functions.rows[call_of(writer, i)->row]));
	constant(writer, "subcategory", n, "0");
	write_length(writer, n, ",\n");
}

static void write_frames(const struct writer *writer)
{
	size_t n = writer->rows.n;

	fputs("\"frameTable\":{", writer->out);
	column(writer, "func", n, i, "%zu", i);
	column(writer, "category", n, i, "%d", category(writer, row_of(writer, i)));
	constant(writer, "address", n, "-1");
	constant(writer, "inlineDepth", n, "0");
	constant(writer, "subcategory", n, "0");
	constant(writer, "nativeSymbol", n, "null");
	constant(writer, "innerWindowID", n, "0");
	constant(writer, "implementation", n, "null");
	constant(writer, "line", n, "null");
	constant(writer, "column", n, "null");
	write_length(writer, n, ",\n");
}

static void write_functions(const struct writer *writer)
{
	const uint32_t *rows = writer->rows.list, *text_at = writer->texts.at;
	size_t n = writer->rows.n;

	fputs("\"funcTable\":{", writer->out);
	column(writer, "name", n, i, "%" PRIu32, text_at[writer->name[rows[i]]] - 1);
	column(writer, "fileName", n, i, "%" PRIu32, text_at[writer->file[rows[i]]] - 1);
	column(writer, "lineNumber", n, i, "%d", writer->line[rows[i]]);
	column(writer, "resource", n, i, "%" PRIu32,
	       writer->objects.at[row_of(writer, i)->object] - 1);
	constant(writer, "columnNumber", n, "null");
	constant(writer, "isJS", n, "false");
	constant(writer, "relevantForJS", n, "false");
	write_length(writer, n, ",\n");
}

#define TYPE_LIBRARY	"1"

static void write_resources(const struct writer *writer)
{
	const uint32_t *objects = writer->objects.list;
	size_t n = writer->objects.n;

	fputs("\"resourceTable\":{", writer->out);
	column(writer, "lib", n, i, "%" PRIu32, objects[i]);
	column(writer, "name", n, i, "%" PRIu32,
	       writer->texts.at[writer->object[objects[i]]] - 1);
	constant(writer, "host", n, "null");
	constant(writer, "type", n, TYPE_LIBRARY);
	write_length(writer, n, ",\n");
}

static void write_strings(const struct writer *writer)
{
	size_t i;

	fputs("\"stringArray\":[", writer->out);
	for (i = 0; i < writer->texts.n; i++) {
		fputs(i ? ",\n" : "\n", writer->out);
		json_text_write(writer->list[writer->texts.list[i]], writer->out);
	}
	fputs("],\n", writer->out);
}

/* --- threads --------------------------------------------------------------------- */

static void add_sample(struct writer *writer, uint32_t node, uint64_t time_ns,
		       uint64_t samples)
{
	uint32_t call = writer->report->calls.of_node[node];

	ensure(writer->samples, writer->nsamples, writer->samples_room);
	writer->samples[writer->nsamples++] = (struct sample){
		time_ns > writer->start_ns ? time_ns - writer->start_ns : 0, samples, call
	};
	for (; call; call = writer->report->calls.calls[call].parent)
		use(&writer->calls, call);
}

static void add_moment(struct writer *writer, const struct moment *moment)
{
	uint64_t end;

	if (__builtin_add_overflow(moment->time_ns, moment->span_ns, &end))
		end = UINT64_MAX;
	add_sample(writer, moment->node, moment->time_ns, 1);
	if (moment->samples > 1)
		add_sample(writer, moment->node, end, moment->samples - 1);
}

static int compare_calls(const void *a, const void *b)
{
	return compare_numbers(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return compare_numbers(x->time_ns, y->time_ns);
}

/* Callers have smaller numbers than their callees: sorted, they come first. */
static void use_all(struct writer *writer)
{
	size_t i;

	qsort(writer->samples, writer->nsamples, sizeof(*writer->samples), compare_samples);
	qsort(writer->calls.list, writer->calls.n, sizeof(*writer->calls.list),
	      compare_calls);
	for (i = 0; i < writer->calls.n; i++) {
		uint32_t row = call_of(writer, i)->row;
		uint32_t object = writer->report->functions.rows[row].object;

		writer->calls.at[writer->calls.list[i]] = (uint32_t)i + 1;
		use(&writer->rows, row);
		use(&writer->objects, object);
		use(&writer->texts, writer->name[row]);
		use(&writer->texts, writer->file[row]);
		use(&writer->texts, writer->object[object]);
	}
}

static void write_head(const struct writer *writer, const struct thread *thread)
{
	const struct profile *profile = writer->report->profile;
	const struct process *process = &profile->processes[thread->process];
	const char *command = profile->commands[process->command];
	bool is_main = thread->id == process->pid;

	fputs("{\"processType\":\"default\",\"pausedRanges\":[],\"name\":", writer->out);
	json_text_write(thread->name ? thread->name : is_main ? command :
			thread->id ? "thread" : "threads", writer->out);
	fputs(",\"processName\":", writer->out);
	json_text_write(command, writer->out);
	fprintf(writer->out, ",\"isMainThread\":%s,\"pid\":\"%" PRIu32 "\",\"tid\":%" PRIu32
		",\n\"processStartupTime\":%.3f,\"processShutdownTime\":",
		is_main ? "true" : "false", process->pid, thread->id,
		((double)process->started_ns - (double)writer->start_ns) / 1e6);
	if (process->ended_ns)
		fprintf(writer->out, "%.3f", ((double)process->ended_ns -
					      (double)writer->start_ns) / 1e6);
	else
		fputs("null", writer->out);
	fputs(",\"registerTime\":0,\"unregisterTime\":null,\n", writer->out);
}

/* Writes a thread whose samples have been added, and forgets them. */
static void write_thread(struct writer *writer, uint32_t thread, bool first)
{
	const struct profile *profile = writer->report->profile;
	const struct thread *of = &profile->stacks.threads[thread];

	use_all(writer);
	fputs(first ? "\n" : ",\n", writer->out);
	write_head(writer, of);
	write_samples(writer, profile->processes[of->process].period_ns);
	fputs("\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
	      "\"phase\":[],\"category\":[],\"length\":0},\n", writer->out);
	write_stacks(writer);
	write_frames(writer);
	write_functions(writer);
	write_resources(writer);
	write_strings(writer);
	fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
	      "\"functionSize\":[],\"length\":0}}", writer->out);
	writer->nsamples = 0;
	forget(&writer->calls);
	forget(&writer->rows);
	forget(&writer->objects);
	forget(&writer->texts);
}

/* Samples whose time is unknown follow each other from the start of their process. */
static void add_counts(struct writer *writer, const struct sort_key *counts, size_t n)
{
	const struct profile *profile = writer->report->profile;
	uint64_t at = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct stack_count *count = &profile->stacks.counts[counts[i].index];
		uint32_t process = profile->stacks.threads[count->thread].process;

		add_sample(writer, count->node, profile->processes[process].started_ns + at,
			   count->samples);
		at += count->ns;
	}
}

static void write_threads(struct writer *writer)
{
	struct stacks *stacks = &writer->report->profile->stacks;
	struct sort_key *moments = sort_keys_make(stacks->nmoments);
	struct sort_key *counts = sort_keys_make(stacks->ncounts);
	size_t moment = 0, count = 0, begin;
	bool first = true;
	uint32_t i;

	sort_keys_by(moments, stacks->nmoments, j, stacks->moments[j].thread);
	sort_keys_by(counts, stacks->ncounts, j, stacks->counts[j].thread);
	for (i = 0; i < stacks->nthreads; i++) {
		for (; moment < stacks->nmoments && moments[moment].key == i; moment++)
			add_moment(writer, &stacks->moments[moments[moment].index]);
		for (begin = count; count < stacks->ncounts && counts[count].key == i;)
			count++;
		if (!writer->nsamples)
			add_counts(writer, &counts[begin], count - begin);
		if (!writer->nsamples)
			continue;
		write_thread(writer, i, first);
		first = false;
	}
	free(moments);
	free(counts);
}

/* --- the profile ------------------------------------------------------------------ */

static void write_meta(const struct writer *writer)
{
	const struct profile *profile = writer->report->profile;
	const struct process *first = profile_first(profile);

	fprintf(writer->out, "{\"meta\":{\"preprocessedProfileVersion\":48,\"version\":30,"
		"\"interval\":%g,\"startTime\":%.3f,\n\"product\":",
		(double)profile->period_ns / 1e6, (double)writer->start_ns / 1e6);
	json_text_write(first ? titles_process(profile, first) : "profil", writer->out);
	fputs(",\"importedFrom\":\"profil\",\"processType\":0,\"stackwalk\":1,"
	      "\"symbolicated\":true,\"usesOnlyOneStackType\":true,"
	      "\"doesNotUseFrameImplementation\":true,"
	      "\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[],\n"
	      "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
	      "\"threadCPUDelta\":\"ns\"},\n"
	      "\"platform\":\"Linux\",\"categories\":["
	      "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},\n"
	      "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},\n"
	      "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},\n"
	      "{\"name\":\"Waiting\",\"color\":\"lightblue\",\"subcategories\":[\"Other\"]}"
	      "]},\n\"libs\":[", writer->out);
}

static void write_libraries(const struct writer *writer)
{
	const struct profile *profile = writer->report->profile;
	size_t i;
	uint32_t j;

	for (i = 0; i < profile->nobjects; i++) {
		const struct object *object = &profile->objects[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", writer->out);
		json_text_write(object->name, writer->out);
		fputs(",\"debugName\":", writer->out);
		json_text_write(object->name, writer->out);
		fputs(",\"path\":", writer->out);
		json_text_write(object->shown, writer->out);
		fputs(",\"debugPath\":", writer->out);
		json_text_write(object->shown, writer->out);
		fputs(",\"arch\":\"\",\"breakpadId\":\"\",\"codeId\":", writer->out);
		fputs(object->build_id_size ? "\"" : "null", writer->out);
		for (j = 0; j < object->build_id_size; j++)
			fprintf(writer->out, "%02x", object->build_id[j]);
		fputs(object->build_id_size ? "\"}" : "}", writer->out);
	}
}

bool report_firefox(const struct report *report, FILE *out)
{
	const struct process *first = profile_first(report->profile);
	struct writer writer = {
		.report = report, .out = out, .start_ns = first ? first->started_ns : 0,
	};
	size_t i;

	find_texts(&writer);
	make_used(&writer.calls, report->calls.n);
	make_used(&writer.rows, report->functions.n);
	make_used(&writer.objects, report->profile->nobjects);
	make_used(&writer.texts, writer.ntexts);
	write_meta(&writer);
	write_libraries(&writer);
	fputs("],\n\"threads\":[", out);
	write_threads(&writer);
	fputs("]}\n", out);
	free_used(&writer.calls);
	free_used(&writer.rows);
	free_used(&writer.objects);
	free_used(&writer.texts);
	for (i = 0; i < writer.ntexts; i++)
		free(writer.list[i]);
	free(writer.list);
	hash_set_free(&writer.set);
	free(writer.samples);
	free(writer.name);
	free(writer.file);
	free(writer.line);
	free(writer.object);
	return true;
}
