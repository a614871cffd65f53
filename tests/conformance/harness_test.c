// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests that must fail, each in its own way, and one that must not. */
#include <libprofil.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

/* There is no profile here: selftest.sh runs this without the module. */
int profil_get_status(struct profil_status *status)
{
	(void)status;
	return -1;
}

static unsigned short counters[4];

TEST(harness_test_that_passes)
{
	spend(TEXT + 1, 20);
	EXPECT_EQ(which(counters, 4, 2), NOWHERE);
	counters[2] = 1;
	EXPECT_EQ(which(counters, 4, 2), 2);
	EXPECT_EQ(which(counters, 4, 2), NOWHERE);
}

TEST(harness_test_with_a_failed_expectation)
{
	EXPECT_EQ(1 + 1, 3);
}

TEST(harness_test_with_two_counts)
{
	counters[1] = counters[2] = 1;
	EXPECT_EQ(which(counters, 4, 2), 1);
}

TEST(harness_test_that_dies)
{
	abort();
}

static void fails(void)
{
	EXPECT(0);
}

TEST(harness_test_whose_child_fails)
{
	EXPECT(in_child(fails));
}

TEST(harness_test_without_ticks)
{
	spin(TEXT, 1);
}

TEST(harness_test_that_never_is_off)
{
	spin_until_off(TEXT);
}

TEST(harness_test_with_the_wrong_errno)
{
	EXPECT_ERRNO(close(-1), 0);
}

TEST(harness_test_whose_call_touches_errno)
{
	EXPECT_QUIET(close(-1));
}

TEST(harness_test_that_hangs)
{
	for (;;)
		pause();
}
