/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A buffer of one counter, for tests that change its memory: it can be written, or not. */
#ifndef SELFTESTS_BUFFER_H
#define SELFTESTS_BUFFER_H

#include "setup.h"

#define SIZE	(64UL << 10)

static inline void start(void *buf)
{
	CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_TICK), 0);
}

static inline struct profil_status check_counted(const void *buf)
{
	struct profil_status st = stopped();

	CHECK_EQ(counter(buf, 0, 4), st.counted);
	return st;
}

/* The fault has stopped the profile, with every tick accounted for. */
static inline struct profil_status check_stopped_by_fault(void)
{
	struct profil_status st;

	CHECK(work_while_on());
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_FAULT);
	/* Ticks from around the fault may still wait for their page. */
	CHECK_EQ(stop(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_FAULT);
	CHECK_GE(st.faults, 1);
	CHECK_GE(st.dropped, 1);
	CHECK_ACCOUNTS(&st);
	return st;
}

/* The process can start another profile. */
static inline void check_can_start_again(void)
{
	uint32_t buf = 0;

	start(&buf);
	CHECK(work_for_ticks(5));
	CHECK_EQ(stopped().counted, buf);
}

/* All ticks end up in the buffer. */
static inline struct profil_status check_counts(const void *buf)
{
	struct profil_status st;

	CHECK(work_for_ticks(20));
	st = check_counted(buf);
	CHECK_GE(st.counted, 20);
	return st;
}

/* Another process's deferred updates still get done. */
static inline void check_others_go_on(void)
{
	IN_CHILD {
		void *buf = private_memory(SIZE);

		start(buf);
		CHECK_GE(check_counts(buf).deferred, 1);
	}
}

#endif /* SELFTESTS_BUFFER_H */
