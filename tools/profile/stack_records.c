// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/stack_records.h"
#include "common/clean_text.h"
#include "common/compare.h"
#include "common/memory.h"
#include "common/message.h"
#include "profile/profile.h"
#include "reader/profile_stream.h"

#include <libprofil.h>
#include <inttypes.h>
#include <stdlib.h>

/* More than a file can have. Keeps products of counts and times from overflowing. */
#define SAMPLES_MOST	((uint64_t)1 << 33)
/* More than a year of a thousand threads. */
#define WAITS_MOST	((uint64_t)1 << 40)

static void set_name(struct stacks *stacks, uint32_t process,
		     const struct profil_stack *stack)
{
	uint32_t thread = stacks_thread(stacks, process, stack->thread);
	char **name = &stacks->threads[thread].name;

	free(*name);
	*name = clean_text(stack->name);
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

/*
 * A thread's last stack, outermost frame first. The next one has most of its frames, and
 * so there is little to look up. Threads with the same number here take turns.
 */
struct last_nodes {
	uint32_t	thread, n;
	uint32_t	outer;		/* the node that the outermost frame is below */
	uint32_t	nodes[PROFIL_STACK_FRAMES];
};

#define LASTS	64

/* How many of the outermost frames of @stack the last one has, too. */
static uint32_t count_same(const struct stacks *raw, const struct last_nodes *last,
			   const struct profil_stack *stack, uint32_t outer)
{
	uint32_t n = last->n < stack->nframes ? last->n : stack->nframes, i = 0;

	if (last->thread != stack->thread || last->outer != outer)
		return 0;
	while (i < n && raw->nodes[last->nodes[i]].address ==
			stack->frame[stack->nframes - 1 - i])
		i++;
	return i;
}

/* Adds the callers first, and the system call, fault or wait last. */
static uint32_t add_nodes(struct stack_records *records, const struct profil_stack *stack)
{
	struct last_nodes *last = &records->lasts[stack->thread % LASTS];
	struct stacks *raw = &records->raw;
	struct stack_node inner;
	uint32_t node = 0, i;

	if (stack->end == PROFIL_STACK_END_FRAMES)
		node = stacks_node(raw, node, RAW_MORE, 0);
	i = count_same(raw, last, stack, node);
	last->thread = stack->thread;
	last->outer = node;
	if (i)
		node = last->nodes[i - 1];
	for (; i < stack->nframes; i++)
		node = last->nodes[i] = stacks_node(raw, node, RAW_PC,
				stack->frame[stack->nframes - 1 - i]);
	last->n = i;
	if (find_inner(stack, &inner))
		node = stacks_node(raw, node, inner.object, inner.address);
	return node;
}

static void add_record(struct stack_records *records,
		       const struct profil_stack *stack)
{
	const struct stack_record record = {
		.sample = stack->sample, .time_ns = stack->time_ns,
		.span_ns = stack->span_ns, .samples = (uint32_t)stack->count,
		.thread = stack->thread,
		.node = add_nodes(records, stack),
		.flags = flags_of(stack),
	};

	if (stack->flags & PROFIL_STACK_WAIT) {
		ensure(records->waits, records->nwaits, records->waits_room);
		records->waits[records->nwaits++] = record;
	} else {
		ensure(records->list, records->n, records->room);
		records->list[records->n++] = record;
	}
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
static int take_next(struct stack_records *records, struct stacks *stacks,
		     struct profil_stacks *reader)
{
	struct profil_stack stack;
	int status = profil_stacks_next(reader, &stack);

	if (status <= 0)
		return status;
	if (stack.flags & PROFIL_STACK_NAME) {
		set_name(stacks, records->process, &stack);
		return 1;
	}
	if (!add_up(records, &stack))
		return -1;
	if (stack.nframes && stack.count)
		add_record(records, &stack);
	return 1;
}

static void read_all(struct stack_records *records, const struct profile_file *file,
		     struct stacks *stacks, const void *stream, size_t size)
{
	struct profil_stacks *reader = profil_stacks_open(stream, size);
	int status;

	if (!reader)
		out_of_memory();
	do {
		status = take_next(records, stacks, reader);
	} while (status > 0);
	if (status < 0)
		warn("%s: damaged: only %zu of %zu bytes of stacks can be read",
		     file->path, profil_stacks_offset(reader), size);
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

void stack_records_read(struct stack_records *records,
			const struct profile_file *file, struct stacks *stacks,
			uint32_t process)
{
	size_t size;
	void *stream = profile_stream_read(file, &size);

	*records = (struct stack_records){ .process = process };
	if (!stream)
		return;
	records->lasts = allocate(LASTS * sizeof(*records->lasts));
	read_all(records, file, stacks, stream, size);
	free(records->lasts);
	sort(records->list, records->n);
	sort(records->waits, records->nwaits);
	free(stream);
}

void stack_records_free(struct stack_records *records)
{
	free(records->list);
	free(records->waits);
	stacks_free(&records->raw);
}
