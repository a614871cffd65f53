/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts, stops and decodes profiles with stacks, and checks the rules that hold for all
 * of them.
 */
#ifndef SELFTESTS_STREAM_H
#define SELFTESTS_STREAM_H

#include <libprofil.h>

#include "own_objects.h"
#include "setup.h"

#define STREAM_BYTES	(16 << 20)
#define STREAM_SAMPLES	65536
#define FIRST_SAMPLE	1000

/* The array, with 8 bytes per element, and the stream. Both are in shared memory. */
struct stream {
	uint64_t	*array;
	unsigned char	*bytes;
	size_t		size;
};

static inline struct stream new_stream(size_t size)
{
	needs_stacks();
	return (struct stream) {
		.array = shared_memory(STREAM_SAMPLES * sizeof(uint64_t)),
		.bytes = shared_memory(size), .size = size,
	};
}

/* Between the steps of writes and stops, in microseconds. */
static inline void set_delay(const char *us)
{
	const char *delay = "/sys/module/profil/parameters/delay_us";

	if (access(delay, W_OK) != 0)
		SKIP("needs a module built with PROFIL_DELAYS=1");
	CHECK_EQ(write_file(delay, us), 0);
}

/* The table of this process. */
static inline int set_objects(const struct profil_object *objects, unsigned int n)
{
	struct profil_object_table table = {
		.size = sizeof(table), .nobjects = n, .object_size = sizeof(*objects),
		.objects = (uintptr_t)objects,
	};

	return device_ioctl(PROFIL_IOC_OBJECTS, &table);
}

static inline void set_own_objects(void)
{
	struct own_objects own;

	own_objects_find(&own);
	CHECK_GT(own.n, 0);
	CHECK_EQ(set_objects(own.object, own.n), 0);
}

/* Initializer of a request: n samples, and their stacks. */
#define STACKS_OF(stream, n, ...)					\
	SAMPLES((stream)->array, n, 8, __VA_ARGS__,			\
		.stacks = (uintptr_t)(stream)->bytes,			\
		.stacks_size = (stream)->size,				\
		.first_sample = FIRST_SAMPLE)

static inline int start_flags(const struct stream *s, unsigned int rate, unsigned int flags)
{
	struct profil_samples request = STACKS_OF(s, STREAM_SAMPLES, rate, .flags = flags);

	return start_array(&request);
}

static inline int start_stacks(const struct stream *s, unsigned int rate)
{
	return start_flags(s, rate, 0);
}

/* A new one, with the table of this process. */
static inline struct stream start_stream(size_t size, unsigned int rate)
{
	struct stream s = new_stream(size);

	set_own_objects();
	CHECK_EQ(start_stacks(&s, rate), 0);
	return s;
}

static inline struct profil_stacks *open_stream(const struct stream *s, uint64_t bytes)
{
	struct profil_stacks *stacks = profil_stacks_open(s->bytes, bytes);

	CHECK(stacks);
	return stacks;
}

/* A loop over the stacks of a stream; names are left out. */
static inline int next_stack(struct profil_stacks *stacks, struct profil_stack *stack)
{
	int more;

	do {
		more = profil_stacks_next(stacks, stack);
		if (more < 0)
			FAIL("damaged at byte %zu", profil_stacks_offset(stacks));
	} while (more && stack->flags & PROFIL_STACK_NAME);
	return more;
}

#define FOR_EACH_STACK(stream, bytes, stack)				\
	for (struct profil_stacks *stacks_ = open_stream(stream, bytes); \
	     next_stack(stacks_, stack) || end_stacks(stacks_);)

static inline int end_stacks(struct profil_stacks *stacks)
{
	profil_stacks_close(stacks);
	return 0;
}

static inline void check_stack(const struct stream *s, const struct profil_stack *stack,
			unsigned char *seen)
{
	uint64_t i = stack->sample - FIRST_SAMPLE;

	if (!(stack->flags & PROFIL_STACK_WAIT)) {
		CHECK_LT(i, STREAM_SAMPLES);
		CHECK_EQ(seen[i], 0);
		seen[i] = 1;
		CHECK_EQ(stack->frame[0], s->array[i]);
	}
	CHECK_GE(stack->count, 1);
	CHECK_GE(stack->nframes, 1);
	if (stack->flags & PROFIL_STACK_MOVED)
		CHECK_EQ(stack->nframes, 1);
}

static inline void check_stream(const struct stream *s, const struct profil_status *st)
{
	struct profil_stacks *stacks = open_stream(s, s->size);
	unsigned char *seen = calloc(1, STREAM_SAMPLES);
	uint64_t sum[2] = {}, records = 0, first = 1;
	struct profil_stack stack;
	int more;

	CHECK(seen);
	while ((more = profil_stacks_next(stacks, &stack)) > 0) {
		CHECK_EQ(!!(stack.flags & PROFIL_STACK_RESET), first);
		first = 0;
		records++;
		if (stack.flags & PROFIL_STACK_NAME)
			continue;
		check_stack(s, &stack, seen);
		sum[!!(stack.flags & PROFIL_STACK_WAIT)] += stack.count;
	}
	if (more)
		FAIL("damaged at byte %zu of %llu", profil_stacks_offset(stacks),
		     (unsigned long long)st->stack_bytes);
	CHECK_EQ(profil_stacks_offset(stacks), st->stack_bytes);
	CHECK_EQ(records, st->stack_records);
	CHECK_EQ(st->ticks, sum[0] + st->stackless);
	CHECK_EQ(st->waits, sum[1]);
	CHECK(st->flags & PROFIL_WAITS || !(sum[1] + st->waits_lost));
	profil_stacks_close(stacks);
	free(seen);
}

/*
 * Stops, and checks what must hold: ticks are in records or counted as in none;
 * the stream decodes to its last byte; each record begins with a sample of the
 * array that is its innermost frame; no two begin with the same.
 */
static inline struct profil_status stop_stacks(const struct stream *s)
{
	struct profil_status st = accounted();

	check_stream(s, &st);
	return st;
}

#define TICKS	40
#define DEPTH	20

static uint64_t ticks_wanted;

static inline void do_ticks(void)
{
	CHECK(work_for_ticks(ticks_wanted));
}

/* Calls itself DEPTH times, then @what. */
__attribute__((unused, noinline, noclone)) static void recurse(int depth, void (*what)(void))
{
	if (depth)
		recurse(depth - 1, what);
	else
		what();
	__asm__ volatile("" : : : "memory");
}

static inline bool is_in(uint64_t pc, struct text text)
{
	return pc >= text.lo && pc < text.hi;
}

static inline void profile(const struct stream *s, unsigned int rate, void (*what)(void))
{
	CHECK_EQ(start_stacks(s, rate), 0);
	what();
}

/* The table, a start, and a stop. */
static inline struct stream profiled(unsigned int rate, void (*what)(void))
{
	struct stream s = start_stream(STREAM_BYTES, rate);

	what();
	stop_stacks(&s);
	return s;
}

static inline void recurse_and_work(void)
{
	ticks_wanted = TICKS;
	recurse(DEPTH, do_ticks);
}

#endif /* SELFTESTS_STREAM_H */
