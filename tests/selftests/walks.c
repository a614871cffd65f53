// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Hostile conditions for walks of stacks: memory that changes while it is read, wrong call
 * frame information, too many threads, stops and kills at any moment. In all of them the
 * stream decodes, and each tick is in one record or counted as stackless.
 */
#include "stream.h"

static volatile int ended;

static void hundred_ticks(void)
{
	uint64_t end = page()->ticks + 100;

	for (int i = 0; i < 200000 && page()->ticks < end && !ended; i++)
		hot_a(3000);
}

static uint64_t seed = 1;

static uint64_t any(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed >> 11;
}

/* Makes a writable copy of the call frame information of this program. */
static void set_changing_objects(unsigned char **copy, size_t *size)
{
	struct own_objects own;
	struct profil_object *object;
	uintptr_t hdr;

	own_objects_find(&own);
	/* What follows the header is in the same segment. */
	object = own_object_of(&own, (uintptr_t)recurse);
	hdr = (uintptr_t)object->eh_frame_hdr;
	CHECK(hdr);
	*size = 128 << 10;
	/* Relative to the header: near it, so that sums still make sense. */
	*copy = mapped((void *)((hdr & ~0xfffUL) + (64 << 20)), *size + 8192,
		       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memcpy(*copy + (hdr & 0xfff), (void *)hdr, 64 << 10);
	object->eh_frame_hdr = (uintptr_t)*copy + (hdr & 0xfff);
	CHECK_EQ(set_objects(own.object, own.n), 0);
}

struct target {
	unsigned char	*bytes;
	size_t		size;
};

static void *scribbler(void *data)
{
	struct target *t = data;
	uint64_t s = 99;

	while (!ended) {
		s = s * 6364136223846793005ULL + 1442695040888963407ULL;
		((volatile unsigned char *)t->bytes)[(s >> 33) % t->size] = s >> 20;
	}
	return NULL;
}

TEST(call_frame_information_may_change_while_it_is_read)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct target t;
	pthread_t thread;

	set_changing_objects(&t.bytes, &t.size);
	for (int i = 0; i < 5; i++) {
		ended = 0;
		CHECK_CALL(madvise(s.bytes, s.size, MADV_REMOVE));
		CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
		thread = start_thread(scribbler, &t);
		/* The kept rules are made anew now and then. */
		for (int j = 0; j < 4; j++)
			recurse(DEPTH, hundred_ticks);
		ended = 1;
		join_thread(thread);
		stop_stacks(&s);
	}
}

static uint64_t *victim;
static volatile int ready;

/* Deep, with a stack that another thread overwrites; it never returns. */
static void be_overwritten(void)
{
	uint64_t here[64];

	victim = here;
	ready = 1;
	while (!ended)
		hot_a(1000);
	syscall(SYS_exit, 0);
}

static void *overwritten(void *data)
{
	recurse(DEPTH, be_overwritten);
	return data;
}

static uint64_t any_word(void)
{
	switch (any() % 5) {
	case 0:
		return (uintptr_t)victim + any() % 4096;
	case 1:
		return (uintptr_t)recurse + any() % 64;
	case 2:
		return (uintptr_t)hot_a + any() % 64;
	case 3:
		return UINT64_MAX - any() % 65536;
	default:
		return any();
	}
}

TEST(stacks_may_change_while_they_are_walked)
{
	struct stream s = start_stream(STREAM_BYTES, PROFIL_RATE_FAST);

	CHECK_EQ(pthread_detach(start_thread(overwritten, NULL)), 0);
	while (!ready)
		sched_yield();
	while (page()->ticks < 1000)
		/* Above what it works with itself. */
		for (int i = 0; i < 1000; i++)
			((volatile uint64_t *)victim)[80 + any() % 120] = any_word();
	stop_stacks(&s);
	_exit(0);	/* The thread must not get to what it would return to. */
}

static void *sleeper(void *data)
{
	int *ends = data;
	char byte;

	/* A tick or two, in the kernel more often than not. */
	while (page()->ticks < 100 && !ended)
		hot_syscall(10);
	while (!ended && read(ends[0], &byte, 1) == 1)
		hot_a(1000);
	return NULL;
}

TEST(sleepers_in_the_kernel_leave_room_for_other_threads)
{
	enum { THREADS = 100 };
	struct stream s = start_stream(STREAM_BYTES, PROFIL_RATE_FAST);
	struct profil_status before, st;
	pthread_t thread[THREADS];
	int ends[2];

	CHECK_CALL(pipe(ends));
	start_threads(thread, THREADS, sleeper, ends);
	while (page()->ticks < 300)
		hot_a(1000);
	before = status();
	while (page()->ticks < before.ticks + 300)
		hot_a(1000);
	st = stop_stacks(&s);
	note("%llu of %llu stackless", (unsigned long long)st.stackless,
	     (unsigned long long)st.ticks);
	CHECK_LE(st.stackless - before.stackless, (st.ticks - before.ticks) / 10);
	ended = 1;
	close(ends[1]);
	join_threads(thread, THREADS);
}

static struct stream shared;

static void short_work(void)
{
	hot_a(20000);
}

/* Works, calls, and gives way; it looks at no page, which may be gone. */
static void *runner(void *data)
{
	while (!ended) {
		recurse(DEPTH, short_work);
		hot_syscall(100);
		sched_yield();
	}
	return data;
}

TEST(stops_and_starts_while_threads_walk_lose_no_tick)
{
	enum { THREADS = 4 };
	unsigned int rounds = 300 / slowness();
	pthread_t thread[THREADS];

	shared = start_stream(STREAM_BYTES, PROFIL_RATE_FAST);
	start_threads(thread, THREADS, runner, NULL);
	for (unsigned int i = 0; i < rounds; i++) {
		struct timespec pause = { .tv_nsec = (long)(any() % 8000000) };

		nanosleep(&pause, NULL);
		if (i % 7 == 0)
			set_own_objects();
		stop_stacks(&shared);
		CHECK_CALL(madvise(shared.bytes, shared.size, MADV_REMOVE));
		CHECK_EQ(start_stacks(&shared, PROFIL_RATE_FAST), 0);
	}
	ended = 1;
	join_threads(thread, THREADS);
	stop_stacks(&shared);
}

static void be_killed(const struct stream *s)
{
	set_own_objects();
	if (start_stacks(s, PROFIL_RATE_FAST))
		_exit(1);
	for (int i = 0; i < 2; i++)
		start_thread(runner, NULL);
	runner(NULL);
}

TEST(stream_decodes_whenever_its_process_is_killed)
{
	unsigned int rounds = 100 / slowness();
	struct stream s = new_stream(1 << 20);
	uint64_t found = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		struct timespec pause = { .tv_nsec = (long)(any() % 60000000) };
		struct profil_stack stack;
		pid_t pid = FORK();

		if (!pid)
			be_killed(&s);
		nanosleep(&pause, NULL);
		end_by_force(pid);
		FOR_EACH_STACK(&s, s.size, &stack)
			found += stack.count;
		CHECK_CALL(madvise(s.bytes, s.size, MADV_REMOVE));
	}
	note("%llu ticks found", (unsigned long long)found);
	CHECK_GT(found, rounds);
}

static void *unmapper(void *data)
{
	while (!ended) {
		unmap_page();
		sched_yield();
	}
	return data;
}

TEST(mapping_may_go_while_threads_walk)
{
	pthread_t thread[4];

	shared = start_stream(STREAM_BYTES, PROFIL_RATE_FAST);
	start_threads(thread, 3, runner, NULL);
	thread[3] = start_thread(unmapper, NULL);
	for (unsigned int i = 0; i < 300 / slowness(); i++) {
		struct timespec pause = { .tv_nsec = (long)(any() % 4000000) };

		set_own_objects();
		CHECK_EQ(start_stacks(&shared, PROFIL_RATE_FAST), 0);
		nanosleep(&pause, NULL);
	}
	ended = 1;
	join_threads(thread, 4);
}
