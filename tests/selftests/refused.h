/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bad requests. Each has exactly one fault, and fails with a certain errno. None changes
 * anything: the running profile goes on, with its tag and buffer.
 */
#ifndef SELFTESTS_REFUSED_H
#define SELFTESTS_REFUSED_H

#include "setup.h"

#define TAG	0x5eed

/* Above the addresses that any 64-bit machine gives to processes by default. */
#define KERNEL_ADDRESS	(sizeof(long) == 8 ? 0xffff888000000000ULL : 0xffffff00ULL)

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static uint32_t running;
static uint32_t never_written[1024];

/* Starts the profile that the bad requests must not change. */
static inline void start_running(void)
{
	struct profil_region region = everything(&running, sizeof(running), 4);
	struct profil_histogram request = HISTOGRAM(&region, PROFIL_RATE_TICK, .tag = TAG);

	CHECK_EQ(start_histogram(&request), 0);
}

static inline void check_running(const char *what)
{
	struct profil_status st;

	if (get_status(&st) != 0 || st.state != PROFIL_STATE_ON || st.tag != TAG ||
	    st.mode != PROFIL_MODE_HISTOGRAM)
		FAIL("%s: state %u, mode %u, tag %#x", what, st.state, st.mode, st.tag);
}

static inline void check_running_to_the_end(void)
{
	check_running("at the end");
	CHECK(work_for_ticks(10));
	CHECK_EQ(stopped().counted, running);
	CHECK_EQ(sum(never_written, 1024, 4), 0);
}

/* got, 0 or a negative errno, is the errno that was wanted. */
static inline void expect(const char *what, int got, int wanted)
{
	if (got != -wanted)
		FAIL("%s: %s, wanted %s", what, got < 0 ? strerror(-got) : "accepted",
		     strerror(wanted));
	check_running(what);
}

static inline struct profil_region good_region(void)
{
	return one_to_one(never_written, sizeof(never_written), 4, text_a());
}

static inline struct profil_histogram good_histogram(const struct profil_region *regions,
						     unsigned int n)
{
	return (struct profil_histogram) HISTOGRAM_OF(regions, n, PROFIL_RATE_TICK,
						      .tag = ~TAG, .page = 0x1111);
}

static inline struct profil_samples good_samples(void)
{
	return (struct profil_samples) SAMPLES(never_written, 100, 8, PROFIL_RATE_TICK,
					       .tag = 3, .page = 0x1111);
}

/* A page to write to, and after it one with this protection. Its end is returned. */
static inline char *end_of_page(int protection)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = private_memory(2 * page_size);

	/* Not unmapped: the profil page would take the place. */
	CHECK_CALL(mprotect(mem + page_size, page_size, protection));
	return mem + page_size;
}

#endif /* SELFTESTS_REFUSED_H */
