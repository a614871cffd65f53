// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counters with several writers at the same moment: ticks of other processes, which map
 * the memory at other addresses, and threads of the program itself.
 */
#include "setup.h"

#define SHARERS	4

/* The shared memory. The counter spans the first two pages, or lies before. */
struct shared {
	unsigned char buf[2 * PAGE];
	uint64_t counted[SHARERS];
	uint64_t ready;
};

static int shared_fd;

/* Maps the memory at a different address in each process. */
static struct shared *map_shared(unsigned int which)
{
	static const size_t apart = 16 * PAGE;
	char *room = mapped(NULL, SHARERS * apart, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	return mapped(room + which * (apart + PAGE) % (SHARERS * apart - 4 * PAGE),
		      sizeof(struct shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_FIXED, shared_fd);
}

/* In a process of its own: counts its ticks with the others. */
static void count_with_others(unsigned int which, size_t at, unsigned int width)
{
	struct shared *shared = map_shared(which);
	struct profil_status st;

	CHECK_EQ(start_region(everything(shared->buf + at, width, width), PROFIL_RATE_FAST), 0);
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < SHARERS)
		sched_yield();
	work_until_ticks(page(), contended(200));
	st = stopped();
	CHECK_EQ(st.outside + st.saturated, 0);
	shared->counted[which] = st.counted;
}

/* It starts with all bytes but the highest full: the ticks carry into that. */
static void shared_counter(size_t at, unsigned int width)
{
	uint64_t first = (1ULL << (8 * width - 8)) - 20, counted = 0;
	struct shared *shared;
	pid_t pids[SHARERS];

	shared_fd = CHECK_CALL((int)syscall(SYS_memfd_create, "shared", 0));
	CHECK_CALL(ftruncate(shared_fd, sizeof(*shared)));
	shared = map_shared(0);
	memcpy(shared->buf + at, &first, width);
	for (unsigned int i = 0; i < SHARERS; i++) {
		pids[i] = FORK();
		if (pids[i] == 0) {
			count_with_others(i, at, width);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < SHARERS; i++)
		wait_ok(pids[i]);
	for (unsigned int i = 0; i < SHARERS; i++)
		counted += shared->counted[i];
	CHECK_GE(counted, SHARERS * contended(200));
	CHECK_EQ(counter(shared->buf + at, 0, width), first + counted);
	memset(shared->buf + at, 0, width);
	CHECK_EQ(sum(shared->buf, sizeof(shared->buf) / 8, 8), 0);
	munmap(shared, sizeof(*shared));
	close(shared_fd);
}

/* Aligned, across words, and across pages. */
TEST(counter_shared_by_processes_loses_nothing)
{
	shared_counter(64, 8);
	shared_counter(65, 8);
	shared_counter(63, 4);
	shared_counter(71, 2);
	shared_counter(PAGE - 1, 8);
}

/* What three threads write as fast as they can, in words of the counter. */
struct hammered {
	unsigned char *byte;
	uint8_t writes;
	volatile int *end;
};

static void *hammer(void *arg)
{
	struct hammered *h = arg;

	while (!*h->end) {
		__atomic_add_fetch(h->byte, 1, __ATOMIC_SEQ_CST);
		h->writes++;
	}
	return NULL;
}

static void hammered_counter(size_t at, unsigned int width)
{
	unsigned char buf[32] __attribute__((aligned(32))) = { 0 };
	struct hammered hammers[3];
	struct profil_status st;
	pthread_t threads[3];
	volatile int end = 0;

	for (unsigned int i = 0; i < 3; i++) {
		/* Before it and, where there is room, behind it. */
		size_t where = i == 2 ? at + width : at - 1 - i;

		hammers[i] = (struct hammered) { .byte = buf + where, .end = &end };
		threads[i] = start_thread(hammer, &hammers[i]);
	}
	CHECK_EQ(start_region(everything(buf + at, width, width), PROFIL_RATE_FAST), 0);
	work_until_ticks(page(), contended(200));
	st = stopped();
	end = 1;
	for (unsigned int i = 0; i < 3; i++) {
		join_thread(threads[i]);
		CHECK_EQ(*hammers[i].byte, hammers[i].writes);
	}
	CHECK_EQ(counter(buf + at, 0, width), st.counted);
	CHECK_GE(st.counted, contended(200));
}

TEST(counter_in_a_word_that_threads_write_loses_nothing)
{
	hammered_counter(10, 2);
	hammered_counter(10, 4);
}

TEST(counter_across_words_that_threads_write_loses_nothing)
{
	hammered_counter(15, 2);
	hammered_counter(13, 4);
	hammered_counter(12, 8);
}
