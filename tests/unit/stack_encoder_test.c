// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The stream of stacks: what kmod/stack/encoder.c encodes, libprofil/stack_decoder.c
 * decodes; and what nobody has encoded is no harm to it.
 */
#include <libprofil.h>

#include "unit.h"
#include "stack/encoder.h"

#define THREADS	5
#define RECORDS	3000

static u64 seed;

static u64 random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static u64 below(u64 n)
{
	return random64() % n;
}

/* One of a few, or any. */
static u64 any_pc(void)
{
	switch (below(8)) {
	case 0:
		return random64();
	case 1:
		return below(2) - 1;
	default:
		return 0x7f1234560000 + 16 * below(40);
	}
}

struct thread {
	struct profil_stack_last	last;
	u64				frame[PROFIL_STACK_FRAMES];
	u32				nframes;
};

struct world {
	struct profil_stack_encoder	stream;
	struct thread			thread[THREADS];
	struct profil_stack_record		record[RECORDS];
	u64				frame[RECORDS][PROFIL_STACK_FRAMES];
	u8				*bytes;
	size_t				n;
};

/* The stack changes from its innermost frames; now and then wholly. */
static void change_stack(struct thread *t)
{
	u32 keep = below(4) ? t->nframes - below(t->nframes + 1) / 2 : 0, n, i;

	n = keep + below(below(20) ? 6 : PROFIL_STACK_FRAMES);
	if (n > PROFIL_STACK_FRAMES)
		n = PROFIL_STACK_FRAMES;
	if (!n)
		n = 1;
	if (keep > n)
		keep = n;
	memmove(&t->frame[n - keep], &t->frame[t->nframes - keep], keep * sizeof(u64));
	for (i = 0; i < n - keep; i++)
		t->frame[i] = any_pc();
	t->nframes = n;
}

static u64 any_size(void)
{
	return random64() >> below(64);
}

static void any_stack(struct profil_stack_record *record, u64 *frame, struct thread *t)
{
	change_stack(t);
	memcpy(frame, t->frame, t->nframes * sizeof(u64));
	record->frame = frame;
	record->nframes = below(10) ? t->nframes : 1;
	record->flags = random64() & (PROFIL_STACK_KERNEL | PROFIL_STACK_GUESSED |
				      PROFIL_STACK_MOVED | PROFIL_STACK_SYSCALL);
	if (!below(4))
		record->flags = (record->flags & ~PROFIL_STACK_KERNEL) | PROFIL_STACK_WAIT |
				(random64() & PROFIL_STACK_RUNNABLE);
	if (record->flags & PROFIL_STACK_SYSCALL)
		record->syscall = any_size();
	record->sample = below(3) ? any_size() : 100 + below(100);
	record->count = below(3) ? 1 : 1 + (any_size() >> 1);
	record->time_us = any_size() >> 10;
	record->span_us = record->count > 1 ? any_size() >> 10 : 0;
	record->cpu = below(3);
	record->end = below(3) ? 0 : 1 + below(66);
}

/* The same record, without some of the frames that the last one has. */
static struct profil_stack_record without_same(const struct profil_stack_record *all,
					       const struct profil_stack_last *last)
{
	static u64 frame[PROFIL_STACK_FRAMES];
	struct profil_stack_record few = *all;
	u32 n = few.nframes;

	while (n-- && few.same < last->nframes && below(8) &&
	       all->frame[n] == last->frame[last->nframes - 1 - few.same])
		few.same++;
	few.frame = memcpy(frame, all->frame, (all->nframes - few.same) * sizeof(u64));
	return few;
}

/* Write record @i, or pretend that its memory was not there. */
static void add_record(struct world *w, u32 i)
{
	struct profil_stack_record *record = &w->record[i], few;
	u32 which = below(THREADS);
	struct thread *t = &w->thread[which];
	u8 bytes[PROFIL_STACK_RECORD_BYTES];
	size_t n;

	*record = (struct profil_stack_record) { .thread = 1000 + which * which };
	if (below(20)) {
		any_stack(record, w->frame[i], t);
	} else {
		record->flags = PROFIL_STACK_NAME;
		record->name = &"a name"[below(7)];
	}
	if (!below(200))
		t->last.nframes = 0;
	if (!below(500)) {
		memset(&w->stream, 0, sizeof(w->stream));
		for (n = 0; n < THREADS; n++)
			w->thread[n].last.nframes = 0;
	}
	while (!below(10))
		profil_stack_encode(&w->stream, &t->last, record, bytes);
	few = w->stream.begun && record->frame ? without_same(record, &t->last) : *record;
	n = profil_stack_encode(&w->stream, &t->last, &few, bytes);
	assert_in_range(n, 2, PROFIL_STACK_RECORD_BYTES);
	w->bytes = realloc(w->bytes, w->n + n);
	memcpy(w->bytes + w->n, bytes, n);
	w->n += n;
	profil_stack_encoded(&w->stream, &t->last, &few);
}

static struct world *make_world(u64 number)
{
	struct world *w = calloc(1, sizeof(*w));

	seed = number;
	for (u32 i = 0; i < RECORDS; i++)
		add_record(w, i);
	return w;
}

static void free_world(struct world *w)
{
	free(w->bytes);
	free(w);
}

/* @next is the expected sample. */
static void expect_stack(const struct profil_stack_record *want,
			 const struct profil_stack *got, u64 *next)
{
	if (got->flags & PROFIL_STACK_RESET)
		*next = 0;
	if (!(want->flags & PROFIL_STACK_WAIT))
		*next = want->sample;
	assert_int_equal(got->sample, *next);
	if (!(want->flags & PROFIL_STACK_WAIT))
		*next += want->count;
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->time_ns, want->time_us * 1000);
	assert_int_equal(got->span_ns, want->span_us * 1000);
	assert_int_equal(got->cpu, want->cpu);
	assert_int_equal(got->end, want->end);
	assert_int_equal(got->nframes, want->nframes);
	if (want->flags & PROFIL_STACK_SYSCALL)
		assert_int_equal(got->syscall, want->syscall);
	assert_memory_equal(got->frame, want->frame, want->nframes * sizeof(u64));
}

static void expect_record(const struct profil_stack_record *want,
			  const struct profil_stack *got, u64 *next)
{
	assert_int_equal(got->flags & ~PROFIL_STACK_RESET, want->flags);
	assert_int_equal(got->thread, want->thread);
	if (want->flags & PROFIL_STACK_NAME)
		assert_string_equal(got->name, want->name);
	else
		expect_stack(want, got, next);
	if (got->flags & PROFIL_STACK_RESET && want->flags & PROFIL_STACK_NAME)
		*next = 0;
}

TEST(what_is_encoded_is_decoded)
{
	for (u64 number = 1; number <= 20; number++) {
		struct world *w = make_world(number);
		struct profil_stacks *stacks = profil_stacks_open(w->bytes, w->n);
		struct profil_stack stack;
		u64 next = 0;
		u32 i;

		for (i = 0; i < RECORDS; i++) {
			assert_int_equal(profil_stacks_next(stacks, &stack), 1);
			expect_record(&w->record[i], &stack, &next);
		}
		assert_int_equal(profil_stacks_next(stacks, &stack), 0);
		assert_int_equal(profil_stacks_offset(stacks), w->n);
		profil_stacks_close(stacks);
		free_world(w);
	}
}

/* Bytes of a record whose stack is that of the one before but for two frames. */
TEST(a_stack_like_the_last_one_is_short)
{
	struct profil_stack_encoder stream = {};
	struct profil_stack_last last = {};
	u64 frame[20];
	struct profil_stack_record record = {
		.thread = 123456, .count = 1, .nframes = 20, .frame = frame,
		.sample = 1000000, .time_us = 1ULL << 40,
	};
	u8 bytes[PROFIL_STACK_RECORD_BYTES];

	for (u32 i = 0; i < 20; i++)
		frame[i] = 0x7f1234560000 + 4096 * i;
	profil_stack_encode(&stream, &last, &record, bytes);
	profil_stack_encoded(&stream, &last, &record);
	record.sample++;
	record.time_us += 1000;
	frame[0] += 1000;
	frame[1] -= 10;
	assert_in_range(profil_stack_encode(&stream, &last, &record, bytes), 1, 10);
}

TEST(a_stream_ends_at_a_0_byte_and_goes_on_later)
{
	struct world *w = make_world(7);
	struct profil_stack stack;
	struct profil_stacks *stacks;
	u8 *bytes = calloc(1, w->n);

	stacks = profil_stacks_open(bytes, w->n);
	assert_int_equal(profil_stacks_next(stacks, &stack), 0);
	memcpy(bytes + 1, w->bytes + 1, w->n - 1);
	assert_int_equal(profil_stacks_next(stacks, &stack), 0);
	bytes[0] = w->bytes[0];
	for (u32 i = 0; i < RECORDS; i++)
		assert_int_equal(profil_stacks_next(stacks, &stack), 1);
	profil_stacks_close(stacks);
	free(bytes);
	free_world(w);
}

/* From a piece of memory of just that size, for the address sanitizer. */
static int read_all(const u8 *from, size_t n)
{
	u8 *bytes = malloc(n ? n : 1);
	struct profil_stacks *stacks;
	size_t before = 0;
	struct profil_stack stack;
	u64 sum = 0;
	int err;

	memcpy(bytes, from, n);
	stacks = profil_stacks_open(bytes, n);
	while ((err = profil_stacks_next(stacks, &stack)) > 0) {
		assert_in_range(stack.nframes, !stack.name, PROFIL_STACK_FRAMES);
		assert_in_range(profil_stacks_offset(stacks), before + 1, n);
		before = profil_stacks_offset(stacks);
		for (u32 i = 0; i < stack.nframes; i++)
			sum += stack.frame[i];
		if (stack.name)
			sum += strlen(stack.name);
	}
	if (err)
		assert_int_equal(errno, EBADMSG);
	assert_in_range(profil_stacks_offset(stacks), 0, n);
	if (err)
		assert_int_equal(profil_stacks_next(stacks, &stack), -1);
	profil_stacks_close(stacks);
	free(bytes);
	return err + 0 * (int)sum;
}

TEST(cuts_and_damage_are_no_harm)
{
	struct world *w = make_world(5);
	u8 *bytes = malloc(w->n);

	for (u32 i = 0; i < 3000; i++) {
		size_t n = 1 + below(4000), at = below(n);

		memcpy(bytes, w->bytes, n);
		for (u32 flips = below(6); flips; flips--)
			bytes[at = (at + below(20)) % n] = random64();
		read_all(bytes, n);
		read_all(w->bytes, i);
	}
	free(bytes);
	free_world(w);
}

#define EXPECT_DAMAGED(...) do {					\
	static const u8 record_bytes[] = { __VA_ARGS__ };		\
									\
	assert_int_equal(read_all(record_bytes, sizeof(record_bytes)), -1); \
} while (0)

TEST(what_makes_no_sense_is_damage)
{
	static const u8 good[] = { 6, 1, 1, 2, 0, 1, 4 };

	assert_int_equal(read_all(good, sizeof(good)), 0);
	/* No RESET first, another version, an unknown bit. */
	EXPECT_DAMAGED(5, 0, 2, 0, 1, 4);
	EXPECT_DAMAGED(6, 1, 2, 2, 0, 1, 4);
	EXPECT_DAMAGED(8, 0x81, 0x80, 1, 1, 2, 0, 1, 4);
	/* More bytes than fields, and less. */
	EXPECT_DAMAGED(7, 1, 1, 2, 0, 1, 4, 0);
	EXPECT_DAMAGED(5, 1, 1, 2, 0, 1);
	/* No frame, too many, more kept than there are. */
	EXPECT_DAMAGED(5, 1, 1, 2, 0, 0);
	EXPECT_DAMAGED(7, 1, 1, 2, 0, 0x80, 2, 4);
	EXPECT_DAMAGED(6, 1, 1, 2, 1, 1, 4);
	/* SPAN without COUNT; a name that is a stack, or longer than its record. */
	EXPECT_DAMAGED(7, 0x21, 1, 1, 2, 0, 1, 4);
	EXPECT_DAMAGED(7, 0xc1, 0x10, 1, 2, 'x', 'y', 'z');
	EXPECT_DAMAGED(6, 0x81, 0x10, 1, 5, 'x', 'y');
	/* RUNNABLE, but no wait; a wait with a sample, or in KERNEL. */
	EXPECT_DAMAGED(7, 0x81, 0x40, 1, 2, 0, 1, 4);
	EXPECT_DAMAGED(8, 0x89, 0x20, 1, 2, 2, 0, 1, 4);
	EXPECT_DAMAGED(7, 0xc1, 0x20, 1, 2, 0, 1, 4);
	/* Longer numbers than 64 bits, a thread of 33. */
	EXPECT_DAMAGED(15, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 1, 4);
	EXPECT_DAMAGED(11, 3, 1, 0x80, 0x80, 0x80, 0x80, 0x10, 2, 0, 1, 4);
	EXPECT_DAMAGED(7, 1, 1, 2, 0, 1, 4);	/* A record that is longer than the stream. */
}

UNIT_MAIN("stack_encoder", NULL, NULL, NULL, NULL)
