// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Many threads, one profile: no tick of any thread is lost, whatever the
 * counter's width and place. Everything is held against the ticks seen.
 */
#include <pthread.h>
#include <sched.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define MOST	64

/* All threads work until the profile has seen this many ticks. */
static uint64_t ticks_wanted;

static void *work_until_wanted(void *arg)
{
	(void)arg;
	while (page()->ticks < ticks_wanted)
		hot_a(20000);
	return NULL;
}

static void start_threads(pthread_t *threads, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, work_until_wanted, NULL), 0);
}

static void join_threads(const pthread_t *threads, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static void run_threads(unsigned int n, uint64_t ticks)
{
	pthread_t threads[MOST];

	ticks_wanted = page()->ticks + ticks;
	start_threads(threads, n);
	join_threads(threads, n);
}

static struct profil_status stopped(void)
{
	struct profil_status st;

	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	return st;
}

TEST(eight_threads_in_one_hot_loop_lose_nothing)
{
	static uint16_t buf[64];
	struct profil_status st;

	NEEDS_CPUS(4);
	CHECK_EQ(start_region(one_to_one(buf, sizeof(buf), 2, text_a()), PROFIL_RATE_TICK), 0);
	run_threads(8, 1000);
	st = stopped();
	CHECK_GE(st.ticks, 1000);
	CHECK_GE(st.counted, 900);
	CHECK_EQ(sum(buf, 64, 2), st.counted);
}

/* Wraps: the counter starts at a value from which it will. */
static void one_counter_for_64_threads(unsigned int width, unsigned int shift)
{
	unsigned char buf[32] = { 0 };
	uint64_t first = ~0ULL - 20;
	uint64_t mask = width == 8 ? ~0ULL : (1ULL << (8 * width)) - 1;
	struct profil_region region = everything(buf + 8 + shift, width, width);
	struct profil_status st;

	memcpy(buf + 8 + shift, &first, width);
	region.at_limit = PROFIL_LIMIT_WRAP;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	run_threads(64, contended(300));
	st = stopped();
	CHECK_GE(st.counted, contended(300));
	CHECK_EQ(st.outside, 0);
	CHECK_EQ(counter(buf + 8 + shift, 0, width), (first + st.counted) & mask);
	memset(buf + 8 + shift, 0, width);
	CHECK_EQ(sum(buf, 4, 8), 0);
}

TEST(sixty_four_threads_on_one_2_byte_counter_lose_nothing)
{
	one_counter_for_64_threads(2, 0);
}

TEST(sixty_four_threads_on_one_4_byte_counter_lose_nothing)
{
	one_counter_for_64_threads(4, 0);
}

TEST(sixty_four_threads_on_one_8_byte_counter_lose_nothing)
{
	one_counter_for_64_threads(8, 0);
}

TEST(sixty_four_threads_on_a_2_byte_counter_across_words_lose_nothing)
{
	one_counter_for_64_threads(2, 3);
}

TEST(sixty_four_threads_on_a_4_byte_counter_across_words_lose_nothing)
{
	one_counter_for_64_threads(4, 5);
}

TEST(sixty_four_threads_on_an_8_byte_counter_across_words_lose_nothing)
{
	one_counter_for_64_threads(8, 1);
}

TEST(threads_on_a_counter_across_two_pages_lose_nothing)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (unsigned int width = 2; width <= 8; width *= 2) {
		char *buf = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char *at = buf + size - 1;
		struct profil_status st;

		CHECK(buf != MAP_FAILED);
		CHECK_EQ(start_region(everything(at, width, width), PROFIL_RATE_TICK), 0);
		run_threads(8, contended(150));
		st = stopped();
		CHECK_EQ(counter(at, 0, width), st.counted);
		memset(at, 0, width);
		CHECK_EQ(sum(buf, 2 * size / 8, 8), 0);
		munmap(buf, 2 * size);
	}
}

TEST(neighbouring_counters_do_not_disturb_each_other)
{
	struct profil_status st;
	uint16_t buf[8] = { 0 };
	/* Halves of the same word, by where in the loop the tick falls. */
	struct profil_region region = one_to_one(buf, sizeof(buf), 2, text_a());

	region.scale = 0x4000;
	CHECK_EQ(start_region(region, PROFIL_RATE_TICK), 0);
	run_threads(8, contended(300));
	st = stopped();
	CHECK_GE(st.counted, contended(270));
	CHECK_EQ(sum(buf, 8, 2), st.counted);
}

/* Each thread in a function of its own, so that the counters tell. */
static void *work_in_b(void *arg)
{
	volatile int *go = arg;

	while (!*go)
		sched_yield();
	while (page()->ticks < ticks_wanted)
		hot_b(20000);
	return NULL;
}

TEST(threads_created_before_and_after_the_call_are_all_counted)
{
	uint32_t a = 0, b = 0;
	struct profil_region regions[2] = {
		one_counter(&a, 4, 4, text_a()),
		one_counter(&b, 4, 4, text_b()),
	};
	struct profil_status st;
	volatile int go = 0;
	pthread_t early, late;

	CHECK_EQ(pthread_create(&early, NULL, work_in_b, (void *)&go), 0);
	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	ticks_wanted = 100;
	go = 1;
	CHECK_EQ(pthread_create(&late, NULL, work_until_wanted, NULL), 0);
	CHECK_EQ(pthread_join(early, NULL), 0);
	CHECK_EQ(pthread_join(late, NULL), 0);
	st = stopped();
	CHECK_EQ(a + b, st.counted);
	CHECK_GE(a, 10);
	CHECK_GE(b, 10);
}

struct on_stack {
	uint64_t counted;
	uint64_t summed;
};

static void *profile_on_own_stack(void *arg)
{
	struct on_stack *out = arg;
	uint16_t buf[2048] = { 0 };
	struct profil_status st;

	CHECK_EQ(start_region(one_to_one(buf, sizeof(buf), 2, text_a()), PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(40));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	out->counted = st.counted;
	out->summed = sum(buf, 2048, 2);
	return NULL;
}

TEST(buffer_on_the_stack_of_a_thread_counts)
{
	struct on_stack out = { 0 };
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, profile_on_own_stack, &out), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_GE(out.counted, most_of(40));
	CHECK_EQ(out.summed, out.counted);
}

static void *start_and_leave(void *arg)
{
	CHECK_EQ(start_region(everything(arg, 4, 4), PROFIL_RATE_TICK), 0);
	return NULL;
}

TEST(profile_outlives_the_thread_that_started_it)
{
	uint32_t buf = 0;
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, start_and_leave, &buf), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK(work_for_ticks(20));
	CHECK_EQ(stopped().counted, buf);
	CHECK_GE(buf, 20);
}

static void *brief(void *arg)
{
	(void)arg;
	hot_a(20000);
	return NULL;
}

TEST(threads_that_come_and_go_lose_nothing)
{
	uint32_t buf = 0;
	struct profil_status st;
	pthread_t threads[8];

	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), 0);
	for (int round = 0; round < 2000 && page()->ticks < contended(200); round++) {
		for (int i = 0; i < 8; i++)
			CHECK_EQ(pthread_create(&threads[i], NULL, brief, NULL), 0);
		join_threads(threads, 8);
	}
	st = stopped();
	CHECK_GE(st.ticks, contended(200));
	CHECK_EQ(buf, st.counted);
}

static int clone_body(void *arg)
{
	(void)arg;
	while (page()->ticks < ticks_wanted)
		hot_b(20000);
	return 0;
}

TEST(process_that_shares_the_memory_without_being_a_thread_shares_the_profile)
{
	static char stack[65536] __attribute__((aligned(64)));
	uint32_t a = 0, b = 0;
	struct profil_region regions[2] = {
		one_counter(&a, 4, 4, text_a()),
		one_counter(&b, 4, 4, text_b()),
	};
	struct profil_status st;
	int status;
	pid_t pid;

	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	ticks_wanted = 60;
	pid = CHECK_CALL(clone(clone_body, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL));
	work_until_wanted(NULL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	/* Its exit did not end the profile of the memory it shared. */
	CHECK_EQ(page()->state, PROFIL_STATE_ON);
	CHECK(work_for_ticks(20));
	st = stopped();
	CHECK_EQ(a + b, st.counted);
	CHECK_GE(a, 20);
	CHECK_GE(b, 5);
}

static uint32_t orphan_counter;

static int orphan_body(void *arg)
{
	const int *fd = arg;
	struct profil_status st;

	clone_body(NULL);
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(orphan_counter, st.counted);
	CHECK_EQ(write(*fd, "k", 1), 1);
	return 0;
}

TEST(memory_whose_first_process_has_exited_is_still_profiled)
{
	static char stack[65536] __attribute__((aligned(64)));
	static int fds[2];
	char byte;
	pid_t pid;

	CHECK_CALL(pipe(fds));
	pid = FORK();
	if (pid == 0) {
		CHECK_EQ(start_region(everything(&orphan_counter, 4, 4), PROFIL_RATE_TICK), 0);
		ticks_wanted = 30;
		CHECK_CALL(clone(orphan_body, stack + sizeof(stack),
				 CLONE_VM | SIGCHLD, &fds[1]));
		_exit(0);
	}
	close(fds[1]);
	wait_ok(pid);
	CHECK_EQ(read(fds[0], &byte, 1), 1);
}

static void *stop_repeatedly(void *arg)
{
	const volatile int *end = arg;
	struct profil_status st;

	while (!*end)
		CHECK_EQ(stop(&st), 0);
	return NULL;
}

TEST(starts_and_stops_from_many_threads_at_once_keep_every_account)
{
	static uint32_t buf;
	volatile int end = 0;
	pthread_t threads[4];
	struct profil_status st;

	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, stop_repeatedly, (void *)&end), 0);
	for (int i = 0; i < 150; i++) {
		struct profil_region region = everything(&buf, 4, 4);
		struct profil_status last = { .size = sizeof(last) };
		struct profil_histogram request = {
			.regions = (uintptr_t)&region,
			.nregions = 1,
			.region_size = sizeof(region),
			.rate = PROFIL_RATE_TICK,
			.last = (uintptr_t)&last,
		};

		CHECK_EQ(start_histogram(&request), 0);
		CHECK_ACCOUNTS(&last);
		hot_a(5000);
	}
	end = 1;
	join_threads(threads, 4);
	CHECK_EQ(stop(&st), 0);
	CHECK_ACCOUNTS(&st);
}
