// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What glibc's profil() and sprofil() get wrong, shown on libc's functions and
 * right on ours: one program that was linked with libc alone, run as it is and
 * with LD_PRELOAD=libprofil.so.1.
 */
#define _GNU_SOURCE
#include <gnu/libc-version.h>
#include <libprofil.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

/* The harness asks for the profile's state; libc's has none. */
int profil_get_status(struct profil_status *status)
{
	(void)status;
	return -1;
}

static unsigned short low[256], high[256], bin[2], large[65536];

static struct prof both[] = {
	{ low, sizeof(low), TEXT, 0x8000 },
	{ high, sizeof(high), FAR_TEXT, 0x8000 },
	{ bin, sizeof(bin), 0, 2 },
};

/* --- the programs: each returns a number below 100, if it lives ------------- */

static int status_of(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		return 99;
	return WIFSIGNALED(status) ? 100 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

ROLE(count_in_fork_child)
{
	pid_t child;

	(void)argument;
	profil(low, sizeof(low), TEXT, 0x8000);
	child = fork();
	if (child == 0) {
		spend(TEXT, 200);
		_exit(low[0]);
	}
	return status_of(child);
}

ROLE(live_through_exec)
{
	if (argument) {
		spend(TEXT, 100);
		return 42;
	}
	profil(low, sizeof(low), TEXT, 0x8000);
	become("live_through_exec", 1);
}

ROLE(scale_0)
{
	(void)argument;
	profil(low, sizeof(low), TEXT, 0);
	spend(FAR_TEXT, 200);
	return low[0];
}

ROLE(second_sprofil)
{
	struct prof next[] = { { low, sizeof(low), TEXT, 0x8000 }, both[2] };

	(void)argument;
	sprofil(both, 3, NULL, PROF_USHORT);
	sprofil(next, 2, NULL, PROF_USHORT);
	spend(TEXT, 200);
	return low[0];
}

ROLE(third_sprofil)
{
	int i;

	(void)argument;
	for (i = 0; i < 3; i++)
		sprofil(both, 3, NULL, PROF_USHORT);
	spend(TEXT, 200);
	return low[0];
}

ROLE(below_lowest_region)
{
	(void)argument;
	sprofil(&both[1], 1, NULL, PROF_USHORT);
	spend(TEXT, 100);
	return (int)SUM(high);
}

static int call_with_scale(unsigned long scale)
{
	struct prof regions[] = {
		{ large, sizeof(large), TEXT, scale },
		both[2],
	};
	pid_t child;

	child = fork();
	if (child == 0)
		_exit(sprofil(regions, 2, NULL, PROF_USHORT) ? 1 : 0);
	return status_of(child);
}

ROLE(scales_that_abort)
{
	static const unsigned long scales[] = {
		3, 0x5555, 0x7fff, 0xaaab, 0xc000, 0xfffe, 0xffff, 0x30000,
	};
	int i, aborted = 0;

	(void)argument;
	for (i = 0; i < 8; i++)
		aborted += call_with_scale(scales[i]) == 100 + SIGABRT;
	return aborted;
}

/* Samples that are in neither of the two counters where all of them belong. */
ROLE(wrong_bins)
{
	int i;

	(void)argument;
	sprofil(both, 3, NULL, PROF_USHORT);
	for (i = 0; i < 10; i++) {
		spend(TEXT + 400, 20);
		spend(FAR_TEXT + 80, 20);
	}
	sprofil(NULL, 0, NULL, 0);
	return (int)(SUM(low) - low[100] + SUM(high) - high[20] + SUM(bin));
}

/* Samples in the time in which tvp says that there are 20. */
ROLE(rate_of_sprofil)
{
	struct timeval tick;

	(void)argument;
	sprofil(both, 3, &tick, PROF_USHORT);
	spend(TEXT, (int)(20 * tick.tv_usec / 1000));
	return low[0];
}

ROLE(overflow_bin)
{
	(void)argument;
	bin[0] = 65535;
	sprofil(both, 3, NULL, PROF_USHORT);
	spend(TEXT + PAGE, 100);
	return bin[0] == 65535 ? 42 : 0;
}

/* --- both versions ------------------------------------------------------------ */

static int outcome(const char *role, const char *preload)
{
	pid_t child = fork();

	if (child == 0) {
		if (preload)
			setenv("LD_PRELOAD", preload, 1);
		/* An abort in libc says so on stderr: that is known. */
		if (!freopen("/dev/null", "w", stderr))
			_exit(98);
		become(role, 0);
	}
	return status_of(child);
}

static const char *words(int result, char *text)
{
	if (result > 100)
		sprintf(text, "SIG%s", sigabbrev_np(result - 100));
	else
		sprintf(text, "%d", result);
	return text;
}

/* off: by how much numbers other than 0 may differ that are counts of ticks. */
static void compare(const char *role, int libc, int ours, int off)
{
	char one[40], other[40];
	int with_libc = outcome(role, NULL);
	int with_ours = outcome(role, "libprofil.so.1");

	note("defect %-22s libc %s: %-8s libprofil: %s", role,
	     gnu_get_libc_version(), words(with_libc, one),
	     words(with_ours, other));
	EXPECT_NEAR(with_libc, libc, libc && libc < 100 ? off : 0);
	EXPECT_NEAR(with_ours, ours, ours ? off : 0);
}

TEST(defect_fork_child_is_not_profiled)
{
	compare("count_in_fork_child", 0, 20, 2);
}

TEST(defect_program_after_exec_is_killed_by_sigprof)
{
	compare("live_through_exec", 100 + SIGPROF, 42, 0);
}

TEST(defect_scale_0_turns_profil_on)
{
	compare("scale_0", 20, 0, 2);
}

TEST(defect_second_sprofil_only_disables)
{
	compare("second_sprofil", 0, 20, 2);
}

TEST(defect_third_sprofil_aborts)
{
	compare("third_sprofil", 100 + SIGABRT, 20, 2);
}

TEST(defect_pc_below_the_lowest_region_is_sigsegv)
{
	compare("below_lowest_region", 100 + SIGSEGV, 0, 0);
}

TEST(defect_most_scales_abort)
{
	compare("scales_that_abort", 8, 0, 0);
}

TEST(defect_sample_after_region_change_is_in_the_wrong_bin)
{
	compare("wrong_bins", 40, 0, 4);
}

TEST(defect_sprofil_samples_more_often_than_it_says)
{
	compare("rate_of_sprofil", 50, 20, 4);
}

TEST(defect_overflow_bin_wraps)
{
	compare("overflow_bin", 0, 42, 0);
}
