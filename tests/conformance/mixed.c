// SPDX-License-Identifier: LGPL-2.1-or-later
/* All systems' calls in one program, each from a C++ file of its own. */
#include "harness.h"

typedef void start(unsigned short *buf, unsigned int size, unsigned long pc);

start start_glibc, start_solaris, start_irix, start_hpux, start_tru64,
      start_aix, start_bsd;

static unsigned short a[64], b[64];

static void counts(start *call)
{
	call(a, sizeof(a), TEXT);
	EXPECT_HIT(a, TEXT + 8, 2);
}

TEST(headers_of_glibc_in_cxx)
{
	counts(start_glibc);
}

TEST(headers_of_solaris_in_cxx)
{
	counts(start_solaris);
}

TEST(headers_of_irix_in_cxx)
{
	counts(start_irix);
}

TEST(headers_of_hpux_in_cxx)
{
	counts(start_hpux);
}

TEST(headers_of_tru64_in_cxx)
{
	counts(start_tru64);
}

TEST(headers_of_aix_in_cxx)
{
	counts(start_aix);
}

TEST(headers_of_bsd_in_cxx)
{
	counts(start_bsd);
}

/* The same pc, counted by each system's rule for the 32768th tick. */
TEST(headers_of_two_systems_in_one_program)
{
	a[0] = b[0] = 32767;
	start_solaris(a, sizeof(a), TEXT);
	spin_until_off(TEXT);
	start_bsd(b, sizeof(b), TEXT);
	spin(TEXT, 1);
	EXPECT_EQ(a[0], 32767);
	EXPECT_EQ(b[0], 32768);
}

TEST(headers_the_last_call_of_any_system_wins)
{
	start_aix(a, sizeof(a), TEXT);
	start_solaris(b, sizeof(b), TEXT);
	EXPECT_HIT(b, TEXT, 0);
	start_aix(a, sizeof(a), TEXT);
	EXPECT_HIT(a, TEXT, 0);
	start_hpux(b, sizeof(b), TEXT);
	EXPECT_HIT(b, TEXT, 0);
	EXPECT_EQ(SUM(a), 0);
}
