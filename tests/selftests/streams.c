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
