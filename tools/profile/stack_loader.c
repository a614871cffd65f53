// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The sample array has all samples, the stack records only some. Each record takes its
 * number of samples with its innermost PC from the array. The samples left over have no
 * stack. Their times are estimated from the records around them. Records of waits have
 * samples of their own.
 */
#include "profile/stack_loader.h"
#include "common/memory.h"
#include "common/message.h"
#include "profile/waits.h"

#include <assert.h>
#include <libprofil.h>
#include <stdlib.h>

/* The first samples without a record get a moment each. Later ones share one per window. */
#define SINGLE_MOST	((uint64_t)1 << 20)
#define WINDOW		65536

/* A node of the profile. Valid until the objects change. */
struct resolved {
	uint64_t	changes;	/* those of the objects, + 1 */
	uint32_t	node;
	uint32_t	count;		/* the last one of its stack */
};

/* Threads with the same number here take turns. */
struct thread_seen {
	uint32_t	id;
	uint32_t	thread;		/* + 1 */
};

#define SEEN	64

#define AHEAD	16	/* records */

/* --- times --------------------------------------------------------------------- */

static uint64_t add_saturating(uint64_t x, uint64_t y)
{
	return x + y < x ? UINT64_MAX : x + y;
}

/* CLOCK_MONOTONIC at the start of the process, or at the first record. */
static uint64_t begin_of(const struct stack_loader *loader)
{
	const struct stack_records *records = &loader->records;
	uint64_t first = UINT64_MAX;

	if (loader->header->monotonic_ns)
		return loader->header->monotonic_ns;
	if (records->n)
		first = records->list[0].time_ns;
	if (records->nwaits && records->waits[0].time_ns < first)
		first = records->waits[0].time_ns;
	return first;
}

/* Converts CLOCK_MONOTONIC to time since 1970. */
static uint64_t real_time(const struct stack_loader *loader, uint64_t time_ns)
{
	uint64_t begin = begin_of(loader);

	return add_saturating(loader->header->started_ns,
			      time_ns > begin ? time_ns - begin : 0);
}

/* The time of sample @index, by interpolation between two records. */
static uint64_t time_of(const struct stack_loader *loader, uint64_t index)
{
	const struct stack_records *records = &loader->records;
	const struct stack_record none = { .time_ns = begin_of(loader) };
	const struct stack_record *before = loader->next ?
		&records->list[loader->next - 1] : &none;
	const struct stack_record *after = &records->list[loader->next];
	uint64_t samples = index - before->sample;
	double part;

	if (loader->next == records->n)
		return real_time(loader, add_saturating(before->time_ns,
				samples * loader->header->period_ns));
	if (after->time_ns <= before->time_ns)
		return real_time(loader, before->time_ns);
	part = (double)samples / (double)(after->sample - before->sample);
	return real_time(loader, before->time_ns +
			 (uint64_t)((double)(after->time_ns - before->time_ns) * part));
}

/* When the last record of @list ended, or @end if that is later. */
static uint64_t end_of(const struct stack_loader *loader, const struct stack_record *list,
		       size_t n, uint64_t end)
{
	uint64_t last = n ? add_saturating(list[n - 1].time_ns, list[n - 1].span_ns) : 0;

	last = n ? real_time(loader, last) : 0;
	return last > end ? last : end;
}

/* --- places --------------------------------------------------------------------- */

/* The object [kernel], [waiting] or [runnable], made at first use. */
static uint32_t kernel_object(struct stack_loader *loader, enum stack_kind kind,
			      uint64_t address)
{
	static char names[KINDS][12] = { "[kernel]", "[waiting]", "[runnable]" };
	const struct object wanted = {
		.path = names[kind], .kernel = 8 * loader->header->sample_width,
		.kind = kind,
	};
	uint32_t *found = &loader->kernel[kind];
	struct object *object;

	if (!*found)
		*found = profile_find_object(loader->profile, &wanted) + 1;
	loader->profile->has_waits |= kind != KIND_RUNNING;
	object = &loader->profile->objects[*found - 1];
	object->low = 0;
	if (object->high <= address)
		object->high = address + 1;
	return *found - 1;
}

static uint32_t more_callers(struct stack_loader *loader)
{
	static char name[] = MORE_CALLERS;
	uint32_t i = profile_find_object(loader->profile, &(struct object){ .path = name });

	loader->profile->objects[i].low = 0;
	loader->profile->objects[i].high = 1;
	return i;
}

static uint32_t resolve_one(struct stack_loader *loader, uint32_t parent,
			    const struct stack_node *raw)
{
	struct place place = { .address = raw->address };

	if (raw->object >= RAW_KERNEL)
		place.object = kernel_object(loader, raw->object - RAW_KERNEL,
					     raw->address);
	else if (raw->object == RAW_MORE)
		place.object = more_callers(loader);
	else
		process_objects_find(loader->objects, raw->address, &place);
	return stacks_node(&loader->profile->stacks, parent, place.object,
			   place.address);
}

/* Looks up only the callers that no earlier stack shares. */
static uint32_t resolve(struct stack_loader *loader, uint32_t raw)
{
	const struct stack_node *nodes = loader->records.nodes;
	uint32_t path[PROFIL_STACK_FRAMES + 2], node;
	size_t n = 0;

	for (; raw && loader->resolved[raw].changes !=
		      loader->objects->changes + 1; raw = nodes[raw].parent) {
		assert(n < sizeof(path) / sizeof(*path));
		path[n++] = raw;
	}
	node = raw ? loader->resolved[raw].node : 0;
	while (n--) {
		node = resolve_one(loader, node, &nodes[path[n]]);
		loader->resolved[path[n]] = (struct resolved){
			loader->objects->changes + 1, node, 0
		};
	}
	return node;
}

/* --- records ---------------------------------------------------------------------- */

/* The PC that the sample array has for the record. */
static uint64_t innermost(const struct stack_loader *loader,
			  const struct stack_record *record)
{
	const struct stack_node *nodes = loader->records.nodes;
	const struct stack_node *node = &nodes[record->node];

	return node->object == RAW_KERNEL ? nodes[node->parent].address :
					    node->address;
}

/* Most samples are those of the last record, so they are not looked up. */
static void want(struct stack_loader *loader, uint64_t pc, uint64_t samples)
{
	struct pc_count *found;

	if (loader->pc_wanted) {
		found = pc_counts_find(&loader->wanted, loader->pc);
		if (found)
			found->count += loader->pc_wanted;
		else
			pc_counts_add(&loader->wanted, loader->pc, loader->pc_wanted + 1);
	}
	loader->pc = pc;
	loader->pc_wanted = samples;
}

static bool take_wanted(struct stack_loader *loader, uint64_t pc)
{
	struct pc_count *found;

	if (loader->pc_wanted && loader->pc == pc) {
		loader->pc_wanted--;
		return true;
	}
	found = pc_counts_find(&loader->wanted, pc);
	if (!found || found->count == 1)
		return false;
	found->count--;
	return true;
}

static uint64_t sample_of(const struct stack_record *list, size_t next, size_t n)
{
	return next < n ? list[next].sample : UINT64_MAX;
}

static uint64_t next_tick(const struct stack_loader *loader)
{
	return sample_of(loader->records.list, loader->next, loader->records.n);
}

uint64_t stack_loader_next(const struct stack_loader *loader)
{
	uint64_t tick = next_tick(loader);
	uint64_t wait = sample_of(loader->records.waits, loader->next_wait,
				  loader->records.nwaits);

	return tick < wait ? tick : wait;
}

static uint32_t thread_of(struct stack_loader *loader, uint32_t id)
{
	struct thread_seen *seen = &loader->threads[id % SEEN];

	if (!seen->thread || seen->id != id)
		*seen = (struct thread_seen){
			id, stacks_thread(&loader->profile->stacks, loader->process, id) + 1
		};
	return seen->thread - 1;
}

static void add_record(struct stack_loader *loader, const struct stack_record *record,
		       bool waits)
{
	struct stacks *stacks = &loader->profile->stacks;
	struct moment moment = {
		.time_ns = real_time(loader, record->time_ns),
		.node = resolve(loader, record->node),
		.thread = thread_of(loader, record->thread),
		.samples = record->samples, .flags = record->flags,
	};
	uint32_t *count = &loader->resolved[record->node].count;

	moment.span_ns = add_saturating(moment.time_ns, record->span_ns) -
			 moment.time_ns;
	if (waits_count(loader->profile, waits))
		stacks->by_flags[moment.flags] += moment.samples;
	*count = stacks_moment(stacks, &moment, *count);
}

/* The node of a later record. Nodes are in any order, so the CPU cannot guess it. */
static uint32_t node_ahead(const struct stack_records *records, size_t next)
{
	return next + AHEAD < records->n ? records->list[next + AHEAD].node : 0;
}

void stack_loader_apply(struct stack_loader *loader)
{
	const struct stack_record *record;
	uint32_t ahead = node_ahead(&loader->records, loader->next);

	__builtin_prefetch(&loader->resolved[ahead]);
	if (next_tick(loader) > stack_loader_next(loader)) {
		add_record(loader, &loader->records.waits[loader->next_wait++], true);
		return;
	}
	record = &loader->records.list[loader->next++];
	add_record(loader, record, false);
	want(loader, innermost(loader, record), record->samples);
}

bool stack_loader_lost(struct stack_loader *loader, uint64_t index)
{
	const struct stack_record *last;

	if (!loader->next)
		return false;
	last = &loader->records.list[loader->next - 1];
	return last->sample == index && take_wanted(loader, innermost(loader, last));
}

/* --- samples without a record -------------------------------------------------------- */

static void extend(struct stack_loader *loader, size_t moment, uint64_t time_ns)
{
	struct moment *extended = &loader->profile->stacks.moments[moment];

	extended->samples++;
	loader->profile->stacks.by_flags[extended->flags] +=
		waits_count(loader->profile, false);
	if (time_ns > extended->time_ns)
		extended->span_ns = time_ns - extended->time_ns;
	stacks_count(&loader->profile->stacks, extended->node, extended->thread, 1, 0);
}

static void add_moment(struct stack_loader *loader, uint64_t pc, uint64_t time_ns)
{
	struct stacks *stacks = &loader->profile->stacks;
	struct moment moment = {
		.time_ns = time_ns, .samples = 1, .flags = STACK_NONE,
		.thread = thread_of(loader, 0),
	};
	struct place place;

	process_objects_find(loader->objects, pc, &place);
	moment.node = stacks_node(stacks, 0, place.object, place.address);
	stacks->by_flags[moment.flags] += waits_count(loader->profile, false);
	stacks_moment(stacks, &moment, 0);
}

/* Begins a new window if the last one is over or the objects have changed. */
static void begin_window(struct stack_loader *loader, uint64_t index)
{
	if (loader->window_changes == loader->objects->changes &&
	    index - loader->window < WINDOW)
		return;
	pc_counts_clear(&loader->together);
	loader->window_changes = loader->objects->changes;
	loader->window = index;
}

static void add_together(struct stack_loader *loader, uint64_t index, uint64_t pc,
			 uint64_t time_ns)
{
	struct pc_count *found;

	begin_window(loader, index);
	found = pc_counts_find(&loader->together, pc);
	if (found) {
		extend(loader, found->count - 1, time_ns);
		return;
	}
	add_moment(loader, pc, time_ns);
	pc_counts_add(&loader->together, pc, loader->profile->stacks.nmoments);
}

void stack_loader_sample(struct stack_loader *loader, uint64_t index, uint64_t pc)
{
	if (take_wanted(loader, pc))
		return;
	if (loader->single++ < SINGLE_MOST || loader->profile->stacks.timeless)
		add_moment(loader, pc, time_of(loader, index));
	else
		add_together(loader, index, pc, time_of(loader, index));
}

/* --- start and end ---------------------------------------------------------------------- */

static void set_names(const struct stack_loader *loader)
{
	struct stacks *stacks = &loader->profile->stacks;
	size_t i;

	for (i = 0; i < loader->records.nnames; i++) {
		struct thread_name *name = &loader->records.names[i];
		uint32_t thread = stacks_thread(stacks, loader->process, name->thread);

		free(stacks->threads[thread].name);
		stacks->threads[thread].name = name->name;
		name->name = NULL;
	}
}

bool stack_loader_begin(struct stack_loader *loader, struct process_objects *objects,
			uint32_t process, struct stack_records *records)
{
	*loader = (struct stack_loader){
		.profile = objects->profile, .objects = objects,
		.header = &objects->file->header, .process = process,
		.records = *records,
	};
	*records = (struct stack_records){ .read = false };
	records = &loader->records;
	if (records->damaged)
		warn("%s: damaged: only %zu of %zu bytes of stacks can be read",
		     objects->file->path, records->usable, records->size);
	set_names(loader);
	if (!records->n && !records->nwaits) {
		stack_records_free(records);
		return false;
	}
	loader->resolved = allocate(records->nnodes * sizeof(*loader->resolved));
	loader->threads = allocate(SEEN * sizeof(*loader->threads));
	objects->profile->processes[process].seen_ns =
		end_of(loader, records->list, records->n,
		       end_of(loader, records->waits, records->nwaits, 0));
	return true;
}

uint64_t stack_loader_end(struct stack_loader *loader)
{
	uint64_t left = loader->pc_wanted;
	size_t i;

	for (i = 0; i < loader->wanted.n; i++)
		left += loader->wanted.list[i].count - 1;
	stack_records_free(&loader->records);
	pc_counts_free(&loader->wanted);
	pc_counts_free(&loader->together);
	free(loader->resolved);
	free(loader->threads);
	return left;
}
