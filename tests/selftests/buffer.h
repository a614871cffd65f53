/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A buffer of one counter, for tests that change its memory. */
#ifndef SELFTESTS_BUFFER_H
#define SELFTESTS_BUFFER_H

#include "setup.h"

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

#endif /* SELFTESTS_BUFFER_H */
