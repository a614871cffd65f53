// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/stack_records.h"
#include "common/clean_text.h"
#include "common/compare.h"
#include "common/memory.h"
#include "profile/profile.h"
#include "reader/profile_stream.h"

#include <libprofil.h>
#include <inttypes.h>
#include <stdlib.h>

/* More than a file can have. Keeps products of counts and times from overflowing. */
#define SAMPLES_MOST	((uint64_t)1 << 33)
/* More than a year of a thousand threads. */
#define WAITS_MOST	((uint64_t)1 << 40)

static void add_name(struct stack_records *records, const struct profil_stack *stack)
{
	ensure(records->names, records->nnames, records->names_room);
	records->names[records->nnames++] = (struct thread_name){
		stack->thread, clean_text(stack->name)
	};
}

static uint32_t flags_of(const struct profil_stack *stack)
{
	uint32_t flags = stack->flags & PROFIL_STACK_GUESSED ? STACK_GUESSED : 0;

	if (stack->flags & PROFIL_STACK_MOVED)
		return STACK_NONE;
	if (stack->end == PROFIL_STACK_END_FRAMES)
		flags |= STACK_DEEP;
	if (stack->end)
		flags |= stack->nframes > 1 ? STACK_CUT : STACK_NONE;
	return flags;
}

/* The innermost node: what the thread did in the kernel. Returns false if it was not there. */
static bool find_inner(const struct profil_stack *stack, struct stack_node *inner)
{
	inner->object = stack->flags & PROFIL_STACK_RUNNABLE ? RAW_RUNNABLE :
			stack->flags & PROFIL_STACK_WAIT ? RAW_WAITING : RAW_KERNEL;
	inner->address = inner->object == RAW_RUNNABLE ? 0 :
			 stack->flags & PROFIL_STACK_SYSCALL ?
			 KERNEL_CALL(stack->syscall) : KERNEL_FAULT;
	return stack->flags & (PROFIL_STACK_KERNEL | PROFIL_STACK_WAIT);
}

/* --- stacks ------------------------------------------------------------------------- */

/*
 * A stack, outermost frame first. A node is found by the hash of all frames up to it, so
 * most stacks are found at once, and others by the part that they share. The keys are
 * random: two of a million nodes have the same hash in one of 37 million files.
 */
struct path {
	const struct stack_records *records;
	struct stack_node	steps[PROFIL_STACK_FRAMES + 2];
	uint64_t		hashes[PROFIL_STACK_FRAMES + 2];
	uint32_t		n;
};

/* Returns the hash of all steps up to this one. */
static uint64_t add_step(struct path *path, uint64_t hash, uint32_t object,
			 uint64_t address)
{
	hash = hash_set_mix(hash, address ^ (uint64_t)object << 60);
	/* A PC may be any number. */
	if (object != RAW_PC)
		hash = ~hash;
	path->hashes[path->n] = hash;
	path->steps[path->n++] = (struct stack_node){ .object = object, .address = address };
	return hash;
}

/* The system call, fault or wait is the last step. */
static void make_path(struct path *path, const struct profil_stack *stack)
{
	struct stack_node inner;
	uint64_t hash = 0;
	uint32_t i;

	path->n = 0;
	if (stack->end == PROFIL_STACK_END_FRAMES)
		hash = add_step(path, hash, RAW_MORE, 0);
	for (i = stack->nframes; i--;)
		hash = add_step(path, hash, RAW_PC, stack->frame[i]);
	if (find_inner(stack, &inner))
		add_step(path, hash, inner.object, inner.address);
}

/* Whether node @i has the same 64 bits. To compare frames, too, takes a tenth more time. */
static bool has_hash(const void *context, uint32_t i)
{
	const struct path *path = context;

	return path->records->hashes[i] == path->hashes[path->n - 1];
}

static uint32_t *find_slot(const struct path *path)
{
	return hash_set_find(&path->records->node_set,
			     path->hashes[path->n - 1], has_hash, path);
}

/* Adds the last step below its caller. */
static uint32_t add_node(struct stack_records *records, const struct path *path,
			 uint32_t parent)
{
	struct stack_node *node;

	hash_set_reserve(&records->node_set, records->nnodes);
	ensure(records->nodes, records->nnodes, records->nodes_room);
	ensure(records->hashes, records->nnodes, records->hashes_room);
	records->hashes[records->nnodes] = path->hashes[path->n - 1];
	node = &records->nodes[records->nnodes++];
	*node = path->steps[path->n - 1];
	node->parent = parent;
	*find_slot(path) = (uint32_t)records->nnodes;
	return (uint32_t)records->nnodes - 1;
}

/* The node of a stack. Callers are added first. */
static uint32_t node_of(struct stack_records *records, struct path *path)
{
	uint32_t whole = path->n, node = 0;

	while (path->n && !(node = *find_slot(path)))
		path->n--;
	node -= node > 0;
	while (path->n < whole) {
		path->n++;
		node = add_node(records, path, node);
	}
	return node;
}

/* --- records ------------------------------------------------------------------------ */

/* The record added last gets its node only now, when the CPU has fetched the slot. */
struct last_record {
	struct stack_record	*record;
	struct path		path;
};

static void end_record(struct stack_records *records, struct last_record *last)
{
	if (last->record)
		last->record->node = node_of(records, &last->path);
	last->record = NULL;
}

static struct stack_record *new_record(struct stack_records *records, bool waits)
{
	if (waits) {
		ensure(records->waits, records->nwaits, records->waits_room);
		return &records->waits[records->nwaits++];
	}
	ensure(records->list, records->n, records->room);
	return &records->list[records->n++];
}

static void add_record(struct stack_records *records, struct last_record *last,
		       const struct profil_stack *stack)
{
	end_record(records, last);
	last->record = new_record(records, stack->flags & PROFIL_STACK_WAIT);
	*last->record = (struct stack_record){
		.sample = stack->sample, .time_ns = stack->time_ns,
		.span_ns = stack->span_ns, .samples = (uint32_t)stack->count,
		.thread = stack->thread, .flags = flags_of(stack),
	};
	make_path(&last->path, stack);
	hash_set_fetch(&records->node_set, last->path.hashes[last->path.n - 1]);
}

static bool add_up(struct stack_records *records, const struct profil_stack *stack)
{
	bool waits = stack->flags & PROFIL_STACK_WAIT;
	uint64_t *sum = waits ? &records->waited : &records->samples;

	if (stack->count > (waits ? WAITS_MOST : SAMPLES_MOST) - *sum ||
	    stack->count > UINT32_MAX)
		return false;
	*sum += stack->count;
	return true;
}

/* Returns 1 if there may be more records, 0 at the end, -1 if the rest is damaged. */
static int take_next(struct stack_records *records, struct last_record *last,
		     struct profil_stacks *reader)
{
	struct profil_stack stack;
	int status = profil_stacks_next(reader, &stack);

	if (status <= 0)
		return status;
	if (stack.flags & PROFIL_STACK_NAME) {
		add_name(records, &stack);
		return 1;
	}
	if (!add_up(records, &stack))
		return -1;
	if (stack.nframes && stack.count)
		add_record(records, last, &stack);
	return 1;
}

static void read_all(struct stack_records *records, const void *stream, size_t size)
{
	struct profil_stacks *reader = profil_stacks_open(stream, size);
	struct last_record last = { .path.records = records };
	int status;

	if (!reader)
		out_of_memory();
	do {
		status = take_next(records, &last, reader);
	} while (status > 0);
	end_record(records, &last);
	records->damaged = status < 0;
	records->usable = profil_stacks_offset(reader);
	records->size = size;
	profil_stacks_close(reader);
}

/* Threads write their records in another order than they were interrupted in. */
static int compare_records(const void *a, const void *b)
{
	const struct stack_record *x = a, *y = b;

	return compare_numbers(x->sample, y->sample) ?:
	       compare_numbers(x->time_ns, y->time_ns);
}

static void sort(struct stack_record *list, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (compare_records(&list[i - 1], &list[i]) > 0)
			break;
	if (i < n)
		qsort(list, n, sizeof(*list), compare_records);
}

void stack_records_read(struct stack_records *records, const struct profile_file *file)
{
	size_t size;
	void *stream = profile_stream_read(file, &size);

	*records = (struct stack_records){ .read = true };
	if (!stream)
		return;
	ensure(records->nodes, records->nnodes, records->nodes_room);
	records->nodes[records->nnodes++] = (struct stack_node){ 0, UINT32_MAX, 0 };
	hash_set_reserve(&records->node_set, records->nnodes);
	read_all(records, stream, size);
	sort(records->list, records->n);
	sort(records->waits, records->nwaits);
	free(stream);
}

void stack_records_free(struct stack_records *records)
{
	size_t i;

	for (i = 0; i < records->nnames; i++)
		free(records->names[i].name);
	free(records->names);
	free(records->list);
	free(records->waits);
	free(records->nodes);
	free(records->hashes);
	hash_set_free(&records->node_set);
	*records = (struct stack_records){ .read = false };
}
