// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Call stacks of a sample array's ticks: what is found of a known stack, in user
 * mode and in system calls; that each tick is in one record, or counted as in
 * none, whatever becomes of threads and memory.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harness.h"
#include "device.h"
#include "stream.h"
#include "work.h"

#define TICKS	40
#define DEPTH	20

static uint64_t ticks_wanted;
static unsigned long in_kernel_calls;

static void work(void)
{
	CHECK(work_for_ticks(ticks_wanted));
}

/* DEPTH times itself, then what is to be done. */
__attribute__((noinline, noclone)) static void recurse(int depth, void (*what)(void))
{
	if (depth)
		recurse(depth - 1, what);
	else
		what();
	__asm__ volatile("" : : : "memory");
}

static bool is_in(uint64_t pc, struct text text)
{
	return pc >= text.lo && pc < text.hi;
}

/* Frames of the recursion: the same return address, DEPTH times in a row. */
static unsigned int longest_repeat(const struct profil_stack *stack)
{
	unsigned int n = 1, most = 1;

	for (unsigned int i = 1; i < stack->nframes; i++) {
		n = stack->frame[i] == stack->frame[i - 1] ? n + 1 : 1;
		if (n > most)
			most = n;
	}
	return most;
}

static void profile(const struct stream *s, unsigned int rate, void (*what)(void))
{
	CHECK_EQ(start_stacks(s, rate), 0);
	what();
}

static void recurse_and_work(void)
{
	ticks_wanted = TICKS;
	recurse(DEPTH, work);
}

TEST(features_say_that_there_are_stacks)
{
	struct profil_features features;

	needs_stacks();
	CHECK_EQ(get_features(&features), 0);
	CHECK_EQ(features.stacks, PROFIL_STACKS_VERSION);
	CHECK_EQ(features.reserved, 0);
}

TEST(stacks_have_the_callers_of_each_tick)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;
	uint64_t complete = 0, deep = 0, n = 0;

	NEEDS_CODE64();
	set_own_objects();
	profile(&s, PROFIL_RATE_TICK, recurse_and_work);
	st = stop_stacks(&s);
	CHECK_GE(st.ticks, TICKS);
	stacks = open_stream(&s, st.stack_bytes);
	while (next_stack(stacks, &stack)) {
		n += stack.count;
		complete += stack.end ? 0 : stack.count;
		/* All but the last call are recurse()'s own. */
		deep += longest_repeat(&stack) == DEPTH ? stack.count : 0;
		if (n == stack.count)
			note("%u frames, end %u, flags %#x", stack.nframes,
			     stack.end, stack.flags);
	}
	note("%llu ticks, %llu complete, %llu deep, %llu stackless, %llu bytes",
	     (unsigned long long)n, (unsigned long long)complete,
	     (unsigned long long)deep, (unsigned long long)st.stackless,
	     (unsigned long long)st.stack_bytes);
	CHECK_GE(complete, most_of(TICKS));
	CHECK_GE(deep, most_of(TICKS));
}

#ifndef __LP64__
TEST(stack_of_32_bit_code_is_its_pc)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;
	uint64_t n = 0;

	set_own_objects();
	profile(&s, PROFIL_RATE_TICK, recurse_and_work);
	st = stop_stacks(&s);
	stacks = open_stream(&s, st.stack_bytes);
	while (next_stack(stacks, &stack)) {
		n += stack.count;
		CHECK_EQ(stack.end, PROFIL_STACK_END_CODE32);
		CHECK_EQ(stack.nframes, 1);
	}
	CHECK_GE(n, most_of(TICKS));
}
#endif

TEST(stack_of_a_system_call_has_its_number)
{
	struct stream s = new_stream(STREAM_BYTES);
	uint64_t in_kernel = 0, numbered = 0;
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;

	set_own_objects();
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_TICK), 0);
	while (page()->ticks < 2 * TICKS && in_kernel_calls++ < 2000000)
		hot_syscall(1);
	st = stop_stacks(&s);
	stacks = open_stream(&s, st.stack_bytes);
	while (next_stack(stacks, &stack)) {
		if (!(stack.flags & PROFIL_STACK_KERNEL))
			continue;
		in_kernel += stack.count;
		if (stack.flags & PROFIL_STACK_SYSCALL &&
		    is_in(stack.frame[0], text_syscall()))
			numbered += stack.count;
		if (stack.flags & PROFIL_STACK_SYSCALL && in_kernel == stack.count)
			note("system call %u, %u frames, end %u", stack.syscall,
			     stack.nframes, stack.end);
	}
	note("%llu of %llu in the kernel, %llu in the call",
	     (unsigned long long)in_kernel, (unsigned long long)st.ticks,
	     (unsigned long long)numbered);
	CHECK_GE(in_kernel, TICKS / 4);
	CHECK_GE(numbered, in_kernel / 2);
}

static void touch_pages(void)
{
	size_t size = 8 << 20, page_size = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < 100000 && page()->ticks < TICKS; i++) {
		char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK(memory != MAP_FAILED);
		for (size_t at = 0; at < size && page()->ticks < TICKS; at += page_size)
			((volatile char *)memory)[at] = 1;
		CHECK_CALL(munmap(memory, size));
	}
}

TEST(stack_of_a_page_fault_is_in_the_kernel_and_has_no_number)
{
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;
	uint64_t faults = 0;
	struct stream s;

	set_own_objects();
	/* On a machine that hardly runs, most ticks are late, and in the system calls. */
	for (unsigned int round = 0; round < 8 && faults < 3; round++) {
		s = new_stream(STREAM_BYTES);
		profile(&s, PROFIL_RATE_FAST, touch_pages);
		st = stop_stacks(&s);
		stacks = open_stream(&s, st.stack_bytes);
		while (next_stack(stacks, &stack))
			if (stack.flags & PROFIL_STACK_KERNEL &&
			    !(stack.flags & PROFIL_STACK_SYSCALL))
				faults += stack.count;
		note("%llu of %llu in page faults", (unsigned long long)faults,
		     (unsigned long long)st.ticks);
	}
	CHECK_GE(faults, 3);
}

static uint32_t thread_id(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

struct worker {
	pthread_t	thread;
	uint32_t	id;
	uint64_t	ticks;
};

static void *worker(void *data)
{
	struct worker *w = data;
	uint64_t end = page()->ticks + w->ticks;

	w->id = thread_id();
	prctl(PR_SET_NAME, "a worker");
	for (int i = 0; i < 200000 && page()->ticks < end; i++)
		hot_a(10000);
	return NULL;
}

TEST(threads_are_told_apart_and_have_their_names)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct worker w[2] = { { .ticks = 3 * TICKS }, { .ticks = 3 * TICKS } };
	uint64_t ticks[2] = { 0 }, named[2] = { 0 };
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;

	set_own_objects();
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_TICK), 0);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&w[i].thread, NULL, worker, &w[i]), 0);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_join(w[i].thread, NULL), 0);
	st = stop_stacks(&s);
	stacks = open_stream(&s, st.stack_bytes);
	while (profil_stacks_next(stacks, &stack) == 1)
		for (int i = 0; i < 2; i++) {
			if (stack.thread != w[i].id)
				continue;
			if (stack.flags & PROFIL_STACK_NAME)
				named[i] += !strcmp(stack.name, "a worker");
			else
				ticks[i] += stack.count;
		}
	for (int i = 0; i < 2; i++) {
		CHECK_GE(ticks[i], TICKS / 2);
		CHECK_EQ(named[i], 1);
	}
}

static volatile sig_atomic_t handled;

static void handler(int sig)
{
	(void)sig;
	handled++;
	hot_a(20000);
}

static void signals(void)
{
	for (int i = 0; i < 100000 && page()->ticks < 4 * TICKS; i++)
		raise(SIGUSR1);
}

static void recurse_and_signal(void)
{
	recurse(DEPTH, signals);
}

TEST(stacks_go_through_signal_frames)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;
	uint64_t handling = 0, through = 0;

	NEEDS_CODE64();
	CHECK(signal(SIGUSR1, handler) != SIG_ERR);
	set_own_objects();
	profile(&s, PROFIL_RATE_TICK, recurse_and_signal);
	st = stop_stacks(&s);
	stacks = open_stream(&s, st.stack_bytes);
	while (next_stack(stacks, &stack)) {
		if (!is_in(stack.frame[0], text_a()) || stack.flags & PROFIL_STACK_KERNEL)
			continue;
		handling += stack.count;
		if (longest_repeat(&stack) == DEPTH && !stack.end)
			through += stack.count;
	}
	note("%llu of %llu", (unsigned long long)through, (unsigned long long)handling);
	CHECK_GE(through, 3);
	CHECK_GE(through, handling - handling / 10 - 2);
}

static void times_are_within_the_run(void)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct timespec before, after;
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;
	uint64_t last = 0;

	set_own_objects();
	clock_gettime(CLOCK_MONOTONIC, &before);
	ticks_wanted = TICKS;
	profile(&s, PROFIL_RATE_TICK, work);
	st = stop_stacks(&s);
	clock_gettime(CLOCK_MONOTONIC, &after);
	stacks = open_stream(&s, st.stack_bytes);
	last = before.tv_sec * 1000000000ULL + before.tv_nsec - 1000;
	while (next_stack(stacks, &stack)) {
		CHECK_GE(stack.time_ns, last);
		last = stack.time_ns;
	}
	CHECK_LE(last, after.tv_sec * 1000000000ULL + after.tv_nsec);
}

TEST(times_ascend_and_are_within_the_run)
{
	times_are_within_the_run();
}

TEST(times_are_those_of_the_time_namespace)
{
	pid_t pid;

	NEEDS_ROOT();
	needs_stacks();
	if (unshare(CLONE_NEWTIME))
		SKIP("needs time namespaces");
	CHECK_EQ(write_file("/proc/self/timens_offsets", "monotonic 1000000 0"), 0);
	pid = FORK();
	if (!pid) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		CHECK_GE(now.tv_sec, 1000000);
		times_are_within_the_run();
		_exit(0);
	}
	wait_ok(pid);
}

static void *private_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

TEST(fork_child_has_a_stream_of_its_own)
{
	struct stream s = {
		.array	= private_memory(STREAM_SAMPLES * sizeof(uint64_t)),
		.bytes	= private_memory(STREAM_BYTES),
		.size	= STREAM_BYTES,
	};
	pid_t pid;

	needs_stacks();
	NEEDS_CODE64();
	set_own_objects();
	ticks_wanted = TICKS;
	profile(&s, PROFIL_RATE_TICK, work);
	pid = FORK();
	if (!pid) {
		struct profil_stacks *stacks;
		struct profil_stack stack;
		struct profil_status st;
		uint64_t sum = 0, deep = 0;

		recurse(DEPTH, work);
		CHECK_EQ(stop(&st), 0);
		stacks = open_stream(&s, st.stack_bytes);
		while (next_stack(stacks, &stack)) {
			sum += stack.count;
			CHECK_GE(stack.sample, FIRST_SAMPLE);
			deep += longest_repeat(&stack) == DEPTH;
		}
		CHECK_EQ(profil_stacks_offset(stacks), st.stack_bytes);
		CHECK_EQ(st.ticks, sum + st.stackless);
		CHECK_GE(deep, most_of(TICKS) / 2);
		_exit(0);
	}
	wait_ok(pid);
	stop_stacks(&s);
}

static int pipe_ends[2];

/* Busy in one read of the kernel's, then blocked in another. */
static void *sleeper(void *data)
{
	char *buf = data, byte;
	int fd = open("/dev/zero", O_RDONLY);

	CHECK(fd >= 0);
	while (page()->ticks < TICKS)
		CHECK_EQ(read(fd, buf, 1 << 20), 1 << 20);
	CHECK_EQ(read(pipe_ends[0], &byte, 1), 1);
	return NULL;
}

TEST(stop_while_a_thread_sleeps_in_a_system_call)
{
	struct stream s = new_stream(STREAM_BYTES);
	char *buf = malloc(1 << 20);
	pthread_t thread;

	CHECK(buf);
	set_own_objects();
	for (int i = 0; i < 20; i++) {
		CHECK_CALL(madvise(s.bytes, s.size, MADV_REMOVE));
		CHECK_CALL(pipe(pipe_ends));
		CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
		CHECK_EQ(pthread_create(&thread, NULL, sleeper, buf), 0);
		while (page()->ticks < TICKS)
			sched_yield();
		stop_stacks(&s);
		CHECK_CALL(madvise(s.bytes, s.size, MADV_REMOVE));
		CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
		CHECK_EQ(write(pipe_ends[1], "", 1), 1);
		CHECK_EQ(pthread_join(thread, NULL), 0);
		stop_stacks(&s);
		close(pipe_ends[0]);
		close(pipe_ends[1]);
	}
}

/* Short, but not beside its exit, which some kernels make much of. */
static void *short_worker(void *data)
{
	hot_a(2000000);
	return data;
}

TEST(threads_that_exit_leave_their_ticks)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_status st;

	set_own_objects();
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
	for (int i = 0; i < 3000 && page()->ticks < 10 * TICKS; i++) {
		pthread_t thread;

		CHECK_EQ(pthread_create(&thread, NULL, short_worker, NULL), 0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
	}
	st = stop_stacks(&s);
	note("%llu of %llu stackless", (unsigned long long)st.stackless,
	     (unsigned long long)st.ticks);
	/* Those that found a thread in its exit. */
	CHECK_LE(st.stackless, st.ticks / 2);
}

ROLE(exit_at_once)
{
	return 0;
}

TEST(exec_ends_the_stream_and_leaves_whole_records)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_stacks *stacks;
	struct profil_stack stack;
	uint64_t n = 0;
	pid_t pid;

	pid = FORK();
	if (!pid) {
		char *argv[] = { "stacks", "--role", "exit_at_once", NULL };

		set_own_objects();
		profile(&s, PROFIL_RATE_FAST, recurse_and_work);
		execv("/proc/self/exe", argv);
		_exit(1);
	}
	wait_ok(pid);
	stacks = open_stream(&s, s.size);
	while (next_stack(stacks, &stack))
		n += stack.count;
	CHECK_GE(n, most_of(TICKS));
}

TEST(full_stream_ends_and_the_array_goes_on)
{
	struct stream s = new_stream(PROFIL_STACKS_SIZE_MIN);
	struct profil_status st;

	set_own_objects();
	ticks_wanted = 1000;
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
	recurse(DEPTH, work);
	st = stop_stacks(&s);
	CHECK_GE(st.nsamples, 1000);
	CHECK_GT(st.stackless, 0);
	CHECK_GT(st.stack_bytes, PROFIL_STACKS_SIZE_MIN / 2);
	CHECK_LE(st.stack_bytes, PROFIL_STACKS_SIZE_MIN);
}

static void lose_memory(int how)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_status st;

	set_own_objects();
	ticks_wanted = TICKS;
	profile(&s, PROFIL_RATE_FAST, work);
	if (how)
		CHECK_CALL(munmap(s.bytes, STREAM_BYTES));
	else
		CHECK_CALL(mprotect(s.bytes, STREAM_BYTES, PROT_READ));
	work();
	if (!how) {
		st = stop_stacks(&s);
		CHECK_GT(st.stackless, 0);
	} else {
		CHECK_EQ(stop(&st), 0);
		CHECK_GT(st.stackless, 0);
	}
	CHECK_NOTHING_LOST(&st);
	CHECK_GE(st.nsamples, 2 * TICKS);
}

TEST(stream_that_is_protected_ends_and_the_array_goes_on)
{
	lose_memory(0);
}

TEST(stream_that_is_unmapped_ends_and_the_array_goes_on)
{
	lose_memory(1);
}

TEST(pages_of_the_stream_that_go_come_back)
{
	struct stream s = new_stream(STREAM_BYTES);
	uint64_t ticks = 0;

	set_own_objects();
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
	for (int i = 0; i < 200000 && ticks < 10 * TICKS; i++) {
		hot_a(1000);
		CHECK_CALL(madvise(s.bytes, STREAM_BYTES, MADV_DONTNEED));
		ticks = page()->ticks;
	}
	CHECK_LE(stop_stacks(&s).stackless, ticks / 10);
}

static void expect_error(struct profil_samples request, int error)
{
	CHECK_EQ(start_array(&request), error);
}

TEST(requests_for_stacks_that_are_wrong_are_refused)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_samples good = {
		.buf = (uintptr_t)s.array, .nsamples = 10, .width = 8,
		.stacks = (uintptr_t)s.bytes, .stacks_size = 4096,
	};
	struct profil_samples bad;

	CHECK_EQ(start_array(&good), 0);
	bad = good;
	bad.stacks_size = 4095;
	expect_error(bad, -EINVAL);
	bad.stacks_size = UINT64_MAX - 4096;
	expect_error(bad, -EINVAL);
	bad = good;
	bad.stacks = 0;
	expect_error(bad, -EINVAL);
	bad.stacks_size = 0;
	bad.first_sample = 1;
	expect_error(bad, -EINVAL);
	bad = good;
	bad.stacks = UINT64_MAX - 8191;
	expect_error(bad, -EFAULT);
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
}

static int set_table(struct profil_object_table table)
{
	return device_ioctl(PROFIL_IOC_OBJECTS, &table);
}

TEST(tables_of_objects_that_are_wrong_are_refused)
{
	struct profil_object o[2] = { { 0x1000, 0x2000, 0 }, { 0x2000, 0x3000, 0x2100 } };
	struct profil_object_table good = {
		.size = sizeof(good), .nobjects = 2, .object_size = sizeof(o[0]),
		.objects = (uintptr_t)o,
	}, bad;

	needs_stacks();
	CHECK(!has_page());
	CHECK_EQ(set_table(good), 0);
	CHECK(has_page());
	o[1].start = 0x1fff;
	CHECK_EQ(set_table(good), -EINVAL);
	o[1].start = 0x3000;
	CHECK_EQ(set_table(good), -EINVAL);
	o[1].start = 0x2000;
	bad = good;
	bad.reserved = 1;
	CHECK_EQ(set_table(bad), -EINVAL);
	bad = good;
	bad.object_size = 23;
	CHECK_EQ(set_table(bad), -EINVAL);
	bad.object_size = 4097;
	CHECK_EQ(set_table(bad), -E2BIG);
	bad = good;
	bad.nobjects = PROFIL_OBJECTS_MAX + 1;
	CHECK_EQ(set_table(bad), -E2BIG);
	bad.nobjects = PROFIL_OBJECTS_MAX;
	bad.objects = 0;
	CHECK_EQ(set_table(bad), -EFAULT);
	bad = good;
	bad.size = sizeof(bad) - 1;
	CHECK_EQ(set_table(bad), -EINVAL);
	bad = good;
	bad.nobjects = 0;
	bad.objects = 0;
	CHECK_EQ(set_table(bad), 0);
	CHECK_EQ(set_table(good), 0);
}

static volatile int ended;

static void *replacer(void *data)
{
	struct profil_object objects[64];
	unsigned int n = own_objects(objects, 64), i = 0;

	while (!ended)
		CHECK_EQ(set_objects(objects, i++ % 8 ? n : 0), 0);
	return data;
}

TEST(tables_may_be_replaced_while_stacks_are_walked)
{
	struct stream s = new_stream(STREAM_BYTES);
	pthread_t thread;

	set_own_objects();
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
	CHECK_EQ(pthread_create(&thread, NULL, replacer, NULL), 0);
	ticks_wanted = 500;
	recurse(DEPTH, work);
	ended = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	stop_stacks(&s);
}

TEST(without_a_table_there_is_the_pc_and_what_frame_pointers_lead_to)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;

	ticks_wanted = TICKS;
	profile(&s, PROFIL_RATE_TICK, work);
	st = stop_stacks(&s);
	stacks = open_stream(&s, st.stack_bytes);
	while (next_stack(stacks, &stack))
		if (stack.end == PROFIL_STACK_END_COMPLETE)
			CHECK(stack.flags & PROFIL_STACK_GUESSED);
}

/* Made code: a frame, then a call back to C. */
static void run_jit(void)
{
	static const unsigned char code[] = {
		0x55,				/* push %rbp */
		0x48, 0x89, 0xe5,		/* mov %rsp, %rbp */
		0xff, 0xd7,			/* call *%rdi */
		0x5d,				/* pop %rbp */
		0xc3,				/* ret */
	};
	unsigned char *jit = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(jit != MAP_FAILED);
	memcpy(jit, code, sizeof(code));
	((void (*)(void (*)(void)))jit)(work);
}

TEST(code_in_no_object_is_followed_by_its_frame_pointer)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_stacks *stacks;
	struct profil_stack stack;
	struct profil_status st;
	uint64_t guessed = 0;

	NEEDS_CODE64();
	set_own_objects();
	ticks_wanted = TICKS;
	CHECK_EQ(start_stacks(&s, PROFIL_RATE_TICK), 0);
	recurse(DEPTH, run_jit);
	st = stop_stacks(&s);
	stacks = open_stream(&s, st.stack_bytes);
	while (next_stack(stacks, &stack))
		if (stack.flags & PROFIL_STACK_GUESSED && longest_repeat(&stack) == DEPTH)
			guessed += stack.count;
	CHECK_GE(guessed, most_of(TICKS));
}
