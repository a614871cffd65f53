// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Many at once: processes, profiles, regions.
 */
#include <sched.h>

#include "harness.h"
#include "device.h"
#include "work.h"

static uint32_t buf;

/* Ends when the other end of the pipe is closed. */
static void wait_for_all(int fd)
{
	char byte;

	CHECK_EQ(read(fd, &byte, 1), 0);
}

static void be_one_of_many(int fd, unsigned int number)
{
	struct profil_status st;

	/* The profile it has by inheritance counts until then. */
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	buf = 0;
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), 0);
	wait_for_all(fd);
	/* All run at once, and some of them for a while. */
	if (number % 50 == 0)
		CHECK(work_for_ticks(2));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(buf, st.counted);
	_exit(0);
}

static void many_processes(unsigned int n)
{
	int fds[2];

	CHECK_CALL(pipe(fds));
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), 0);
	for (unsigned int i = 0; i < n; i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			close(fds[1]);
			be_one_of_many(fds[0], i);
		}
	}
	close(fds[0]);
	close(fds[1]);
	for (unsigned int i = 0; i < n; i++)
		wait_ok(-1);
}

TEST(two_hundred_profiled_processes_at_once_each_keep_their_account)
{
	many_processes(200);
}

TEST_SLOW(two_thousand_profiled_processes_at_once_each_keep_their_account)
{
	many_processes(2000);
}

/* A counter or an array, of a width and at an alignment of its own. */
static void count_in_own_way(unsigned int number)
{
	static const unsigned int widths[] = { 2, 4, 8 };
	unsigned int width = widths[number % 3];
	static unsigned char room[64];
	struct profil_status st;
	unsigned char *at = room + 8 + number % 8;

	if (number % 4 == 3) {
		CHECK_EQ(start_samples(room, 4, 8, PROFIL_RATE_TICK), 0);
		for (int i = 0; i < 200000 && page()->state == PROFIL_STATE_ON; i++)
			hot_a(10000);
		CHECK_EQ(stop(&st), 0);
		CHECK_EQ(st.nsamples, 4);
		return;
	}
	CHECK_EQ(start_region(everything(at, width, width), PROFIL_RATE_TICK), 0);
	CHECK(work_for_ticks(4));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(counter(at, 0, width), st.counted);
}

TEST(processes_with_different_profiles_do_not_disturb_each_other)
{
	for (unsigned int i = 0; i < 24; i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			count_in_own_way(i);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < 24; i++)
		wait_ok(-1);
}

TEST(processes_count_in_one_shared_counter_without_losing_any)
{
	struct shared {
		uint32_t count;
		uint64_t counted[8];
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t total = 0;

	CHECK(shared != MAP_FAILED);
	for (unsigned int i = 0; i < 8; i++) {
		pid_t pid = FORK();

		if (pid == 0) {
			struct profil_status st;

			CHECK_EQ(start_region(everything(&shared->count, 4, 4),
					      PROFIL_RATE_TICK), 0);
			CHECK(work_for_ticks(10));
			CHECK_EQ(stop(&st), 0);
			CHECK_NOTHING_LOST(&st);
			shared->counted[i] = st.counted;
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < 8; i++)
		wait_ok(-1);
	for (unsigned int i = 0; i < 8; i++)
		total += shared->counted[i];
	CHECK_EQ(shared->count, total);
}

static unsigned long available_kb(void)
{
	char text[4096], *at;

	CHECK_CALL(read_file("/proc/meminfo", text, sizeof(text)));
	at = strstr(text, "MemAvailable:");
	CHECK(at != NULL);
	return strtoul(at + strlen("MemAvailable:"), NULL, 10);
}

static void start_large_profiles(unsigned int n)
{
	struct profil_features features;
	struct profil_region *regions;
	struct profil_status st;

	CHECK_EQ(get_features(&features), 0);
	regions = calloc(features.max_regions, sizeof(*regions));
	CHECK(regions != NULL);
	for (size_t i = 0; i < features.max_regions; i++)
		regions[i] = one_counter(&buf, 4, 4,
					 (struct text) { 4096 + 16 * i, 4112 + 16 * i });
	while (n--)
		CHECK_EQ(start_regions(regions, features.max_regions, PROFIL_RATE_TICK), 0);
	CHECK_EQ(stop(&st), 0);
	free(regions);
}

TEST(hundreds_of_starts_of_large_profiles_leave_no_memory_behind)
{
	unsigned long before, after;

	/* Whatever is set up once is set up now. */
	start_large_profiles(100);
	before = available_kb();
	start_large_profiles(300);
	after = available_kb();
	note("%lu kB available before, %lu after", before, after);
	/* 300 maps of 4096 regions take 80 MB. */
	CHECK_GE(after + 10000, before);
}
