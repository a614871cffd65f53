// SPDX-License-Identifier: LGPL-2.1-or-later
/* Many processes, profiles and regions at once. */
#include "setup.h"

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

	/* The inherited profile counts until here. */
	st = stopped();
	buf = 0;
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), 0);
	wait_for_all(fd);
	/* All processes run at once, and some of them run longer. */
	if (number % 50 == 0)
		CHECK(work_for_ticks(2));
	st = stopped();
	CHECK_EQ(buf, st.counted);
	_exit(0);
}

#define PROCESSES	200

TEST(two_hundred_processes_at_once_keep_their_accounts)
{
	int fds[2];

	CHECK_CALL(pipe(fds));
	CHECK_EQ(start_region(everything(&buf, 4, 4), PROFIL_RATE_TICK), 0);
	for (unsigned int i = 0; i < PROCESSES; i++) {
		if (FORK())
			continue;
		close(fds[1]);
		be_one_of_many(fds[0], i);
	}
	close(fds[0]);
	close(fds[1]);
	for (unsigned int i = 0; i < PROCESSES; i++)
		wait_ok(-1);
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
	before = kb_of("/proc/meminfo", "MemAvailable:");
	start_large_profiles(300);
	after = kb_of("/proc/meminfo", "MemAvailable:");
	note("%lu kB available before, %lu after", before, after);
	/* 300 maps of 4096 regions take 80 MB. */
	CHECK_GE(after + 10000, before);
}
