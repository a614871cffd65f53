// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Streams of stacks while everything changes at once: threads that leave their
 * ticks to others, memory that goes, runs that follow each other. A module built
 * for tests sleeps between the steps of each write, so that they meet.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "harness.h"
#include "device.h"
#include "stream.h"
#include "work.h"

#define WORKERS		8
#define BLOCK		(1UL << 20)
#define LOCKED		(16UL << 20)
#define DELAY		"/sys/module/profil/parameters/delay_us"

static volatile bool over;

/* In user mode and in long system calls. */
static void *churn(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY);
	char *buf = stream_memory(BLOCK);

	CHECK(fd >= 0);
	while (!over) {
		hot_a(20000);
		for (int i = 0; i < 8; i++)
			CHECK_EQ(read(fd, buf, BLOCK), BLOCK);
	}
	return arg;
}

/* Takes the stream's pages away. */
static void *take_pages(void *arg)
{
	while (!over) {
		madvise(arg, STREAM_BYTES, MADV_DONTNEED);
		usleep(100);
	}
	return NULL;
}

/* Has the mmap lock most of the time. */
static void *hold_mmap_lock(void *arg)
{
	char *memory = stream_memory(LOCKED);

	memset(memory, 1, LOCKED);
	while (!over) {
		CHECK_CALL(mprotect(memory, LOCKED, PROT_READ));
		CHECK_CALL(mprotect(memory, LOCKED, PROT_READ | PROT_WRITE));
		sched_yield();
	}
	return arg;
}

static pthread_t thread[WORKERS + 2];

static void begin(const struct stream *s, const char *delay)
{
	if (access(DELAY, W_OK) != 0)
		SKIP("needs a module built with PROFIL_DELAYS=1");
	CHECK_EQ(write_file(DELAY, delay), 0);
	set_own_objects();
	for (int i = 0; i < WORKERS; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, churn, NULL), 0);
	CHECK_EQ(pthread_create(&thread[WORKERS], NULL, take_pages,
				s->bytes), 0);
	CHECK_EQ(pthread_create(&thread[WORKERS + 1], NULL, hold_mmap_lock, NULL), 0);
}

static void end(void)
{
	CHECK_EQ(write_file(DELAY, "0"), 0);
	over = true;
	for (int i = 0; i < WORKERS + 2; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

TEST(ticks_that_are_left_are_written_by_one_thread)
{
	struct stream s = new_stream(STREAM_BYTES);

	NEEDS_CPUS(2);
	begin(&s, "1000");
	for (unsigned int i = 0; i < 4 + 16 / slowness(); i++) {
		CHECK_CALL(madvise(s.bytes, s.size, MADV_REMOVE));
		CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
		while (page()->ticks < 200)
			usleep(10000);
		stop_stacks(&s);
	}
	end();
}

/* --- other processes that share the memory ----------------------------------- */

#define PARTS	64

static volatile pid_t reader;

/* One long call after the other: it is in one when the run is stopped. */
static void *read_much(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY);
	char *buf = stream_memory(BLOCK);
	struct iovec part[PARTS];

	CHECK(fd >= 0);
	reader = (pid_t)syscall(SYS_gettid);
	for (int i = 0; i < PARTS; i++)
		part[i] = (struct iovec) { buf, BLOCK };
	while (!over)
		CHECK_CALL(readv(fd, part, PARTS));
	return arg;
}

static int stop_it(void *arg)
{
	return -stop(arg);
}

/* Who stops is 1 there, and whom it stops has no number. */
static void stop_from_another_pid_namespace(struct profil_status *st)
{
	static char stack[65536];

	wait_ok(CHECK_CALL(clone(stop_it, stack + sizeof(stack),
				 CLONE_VM | CLONE_NEWPID | SIGCHLD, st)));
}

TEST(thread_has_its_own_id_whoever_stops)
{
	struct stream s = new_stream(STREAM_BYTES);
	struct profil_status st;
	struct profil_stacks *stacks;
	struct profil_stack stack;
	pthread_t t;

	NEEDS_ROOT();
	set_own_objects();
	CHECK_EQ(pthread_create(&t, NULL, read_much, NULL), 0);
	for (int i = 0; i < 20; i++) {
		CHECK_CALL(madvise(s.bytes, s.size, MADV_REMOVE));
		CHECK_EQ(start_stacks(&s, PROFIL_RATE_FAST), 0);
		while (page()->ticks < 20)
			usleep(1000);
		stop_from_another_pid_namespace(&st);
		check_stream(&s, &st);
		stacks = open_stream(&s, st.stack_bytes);
		while (next_stack(stacks, &stack))
			CHECK(stack.thread == (uint32_t)reader || stack.thread == 1 ||
			      stack.thread == (uint32_t)getpid());
		profil_stacks_close(stacks);
	}
	over = true;
	CHECK_EQ(pthread_join(t, NULL), 0);
}
