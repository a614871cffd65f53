// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ticks that do not come as expected: tests that must fail, and one that must not. */
#include <libprofil.h>
#include <unistd.h>

#include "ticks.h"

/* There is no profile here: selftest.sh runs this without the module. */
int profil_get_status(struct profil_status *status)
{
	(void)status;
	return -1;
}

static unsigned short counters[4];

TEST(passes)
{
	spend(TEXT + 1, 20);
	CHECK_EQ(which(counters, 4, 2), NOWHERE);
	counters[2] = 1;
	CHECK_EQ(which(counters, 4, 2), 2);
	CHECK_EQ(which(counters, 4, 2), NOWHERE);
}

TEST(fails_with_two_counts)
{
	counters[1] = counters[2] = 1;
	CHECK_EQ(which(counters, 4, 2), 1);
}

CASE(fails_without_ticks, spin(TEXT, 1))
CASE(fails_for_a_profile_that_is_off_already, spin_until_off(TEXT))
CASE(fails_for_an_errno_that_is_touched, CHECK_QUIET(close(-1)))
