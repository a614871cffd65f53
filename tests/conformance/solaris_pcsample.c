// SPDX-License-Identifier: LGPL-2.1-or-later
/* Solaris: pcsample(2). */
#include <pcsample.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "harness.h"

#define N	64

static uintptr_t samples[N + 8];
static unsigned short buf[64];

TEST(solaris_pcsample_takes_an_array_and_its_length)
{
	long (*call)(uintptr_t [], long) = pcsample;

	EXPECT_OK(call(samples, N));
	EXPECT(profile_is_on());
}

TEST(solaris_pcsample_counts_cpu_time_only)
{
	EXPECT_OK(pcsample(samples, N));
	idle(100);
	EXPECT_EQ(pcsample(samples, N), 0);
}

TEST(solaris_pcsample_elements_have_the_size_of_a_pointer)
{
	EXPECT_OK(pcsample(samples, N));
	spin(FAR_TEXT, 2);
	EXPECT_EQ(pcsample(samples, 0), 2);
	EXPECT_EQ(sizeof(samples[0]), sizeof(void *));
	EXPECT_EQ(samples[1], FAR_TEXT);
	EXPECT_EQ(samples[2], 0);
}

TEST(solaris_pcsample_stores_one_pc_per_tick)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 1);
	EXPECT(samples[0] && !samples[1]);
	spin(TEXT, 4);
	EXPECT(samples[4] && !samples[5]);
}

TEST(solaris_pcsample_stores_pcs_unchanged)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT + 1, 1);
	spin(FAR_TEXT + 7, 1);
	spin(0x20000, 1);
	EXPECT_EQ(pcsample(NULL, 0), 3);
	EXPECT_EQ(samples[0], TEXT + 1);
	EXPECT_EQ(samples[1], FAR_TEXT + 7);
	EXPECT_EQ(samples[2], 0x20000);
}

TEST(solaris_pcsample_stores_pcs_of_shared_objects)
{
	EXPECT_OK(pcsample(samples, N));
	spin(0x7e0000001000UL, 1);
	spin(TEXT, 1);
	EXPECT_EQ(pcsample(NULL, 0), 2);
	EXPECT_EQ(samples[0], 0x7e0000001000UL);
	EXPECT_EQ(samples[1], TEXT);
}

TEST(solaris_pcsample_stops_when_the_array_is_full)
{
	EXPECT_OK(pcsample(samples, 4));
	spin_until_off(TEXT);
	EXPECT_EQ(samples[3], TEXT);
	EXPECT_EQ(samples[4], 0);
}

TEST(solaris_pcsample_array_lasts_nsamples_over_hz_seconds)
{
	EXPECT_OK(pcsample(samples, 20));
	spend(TEXT, 160);
	EXPECT(profile_is_on());
	spend(TEXT, 80);
	EXPECT(!profile_is_on());
	EXPECT_EQ(pcsample(NULL, 0), 20);
}

TEST(solaris_pcsample_hz_is_sc_clk_tck)
{
	long hz = sysconf(_SC_CLK_TCK);

	EXPECT_OK(pcsample(samples, N));
	spend(TEXT, 400);
	EXPECT_NEAR(pcsample(NULL, 0), hz * 400 / 1000, 2);
}

TEST(solaris_pcsample_nsamples_0_stops)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 2);
	EXPECT_EQ(pcsample(samples, 0), 2);
	EXPECT(!profile_is_on());
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(samples[2], 0);
}

TEST(solaris_pcsample_stop_needs_no_array)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 2);
	EXPECT_EQ(pcsample(NULL, 0), 2);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(samples[2], 0);
}

TEST(solaris_pcsample_stop_counts_to_the_last_sample)
{
	int i;

	for (i = 0; i < 20; i++) {
		uintptr_t *fresh = pages(PAGE);

		EXPECT_EQ(pcsample(fresh, 8), 0);
		spin(TEXT, 1);
		EXPECT_EQ(pcsample(NULL, 0), 1);
		EXPECT_EQ(fresh[0], TEXT);
	}
}

static void child_goes_on(void)
{
	spin(TEXT + 2, 1);
	EXPECT_EQ(samples[0], TEXT);
	EXPECT_EQ(samples[1], TEXT + 2);
}

TEST(solaris_pcsample_continues_in_fork_child)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 1);
	EXPECT(in_child(child_goes_on));
}

TEST(solaris_pcsample_continues_in_fork_parent)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 1);
	EXPECT(in_child(child_goes_on));
	spin(TEXT + 4, 1);
	EXPECT_EQ(pcsample(NULL, 0), 2);
	EXPECT_EQ(samples[1], TEXT + 4);
}

static void child_asks(void)
{
	spin(TEXT, 2);
	EXPECT_EQ(pcsample(NULL, 0), 5);
	EXPECT_EQ(pcsample(NULL, 0), 0);
}

TEST(solaris_pcsample_fork_child_has_its_parents_count)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 3);
	EXPECT(in_child(child_asks));
	EXPECT_EQ(pcsample(NULL, 0), 3);
}

static void child_fills_up(void)
{
	spend(TEXT, 60);
	EXPECT_EQ(samples[3], TEXT);
	EXPECT_EQ(samples[4], 0);
	EXPECT_EQ(pcsample(NULL, 0), 4);
}

TEST(solaris_pcsample_fork_child_fills_what_is_left)
{
	EXPECT_OK(pcsample(samples, 4));
	spin(TEXT, 3);
	EXPECT(in_child(child_fills_up));
	EXPECT_EQ(samples[3], 0);
}

ROLE(sample_nothing)
{
	EXPECT(!profile_is_on());
	spend(argument, IDLE_MS);
	EXPECT_EQ(profile_ticks(), 0);
	return 0;
}

TEST(solaris_pcsample_exec_disables)
{
	uintptr_t *shared = shared_pages(PAGE);

	EXPECT_OK(pcsample(shared, 16));
	spin(TEXT, 1);
	EXPECT(in_program("sample_nothing", TEXT));
	EXPECT_EQ(shared[0], TEXT);
	EXPECT_EQ(shared[1], 0);
	become("sample_nothing", TEXT);
}

ROLE(first_call)
{
	return (int)pcsample((uintptr_t *)samples, (long)argument);
}

TEST(solaris_pcsample_returns_0_after_exec)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 2);
	become("first_call", 4);
}

TEST(solaris_pcsample_memory_fault_disables)
{
	uintptr_t *array = pages(2 * PAGE);

	unmap(&array[PAGE / sizeof(*array)], PAGE);
	EXPECT_OK(pcsample(array + 510, 16));
	spin_until_off(TEXT);
	EXPECT_EQ(array[511], TEXT);
}

TEST(solaris_pcsample_count_survives_a_memory_fault)
{
	uintptr_t *array = pages(2 * PAGE);

	unmap(&array[PAGE / sizeof(*array)], PAGE);
	EXPECT_OK(pcsample(array + 510, 16));
	spend(TEXT, 60);
	EXPECT_EQ(pcsample(NULL, 0), 2);
}

TEST(solaris_pcsample_array_is_not_looked_at_before_a_tick)
{
	EXPECT_OK(pcsample((uintptr_t *)NOT_MAPPED, 16));
	EXPECT(profile_is_on());
	spin_until_off(TEXT);
	EXPECT_OK(pcsample(NULL, 0));
	EXPECT_OK(pcsample((uintptr_t *)KERNEL_ADDRESS, 16));
	spend(TEXT, IDLE_MS);
	EXPECT_OK(pcsample(NULL, 0));
}

TEST(solaris_pcsample_of_more_than_user_space_stores_what_fits)
{
	EXPECT_OK(pcsample(samples, LONG_MAX));
	spin(TEXT, 2);
	EXPECT_EQ(samples[1], TEXT);
	EXPECT_EQ(pcsample(NULL, 0), 2);
}

TEST(solaris_pcsample_returns_0_the_first_time)
{
	EXPECT_OK(pcsample(NULL, 0));
	spend(TEXT, 20);
	EXPECT_OK(pcsample(samples, N));
}

TEST(solaris_pcsample_returns_what_the_call_before_stored)
{
	uintptr_t *second = pages(PAGE);

	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 3);
	EXPECT_EQ(pcsample(second, N), 3);
	spin(TEXT, 5);
	EXPECT_EQ(pcsample(samples, N), 5);
	EXPECT_EQ(pcsample(samples, N), 0);
	EXPECT_EQ(second[4], TEXT);
	EXPECT_EQ(second[5], 0);
}

TEST(solaris_pcsample_returns_nsamples_of_a_full_array)
{
	EXPECT_OK(pcsample(samples, 3));
	spend(TEXT, 80);
	EXPECT_EQ(pcsample(samples, 3), 3);
	spin(TEXT, 1);
	EXPECT_EQ(pcsample(NULL, 0), 1);
	EXPECT_EQ(pcsample(NULL, 0), 0);
}

TEST(solaris_pcsample_new_call_starts_at_the_front)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 2);
	EXPECT_EQ(pcsample(samples, N), 2);
	spin(TEXT + 8, 1);
	EXPECT_EQ(samples[0], TEXT + 8);
	EXPECT_EQ(samples[1], TEXT);
}

TEST(solaris_pcsample_negative_nsamples_returns_minus_1)
{
	EXPECT_EQ(pcsample(samples, -1), -1);
	EXPECT_EQ(pcsample(samples, LONG_MIN), -1);
}

TEST(solaris_pcsample_negative_nsamples_is_einval)
{
	EXPECT_ERRNO(pcsample(samples, -1), EINVAL);
	EXPECT_ERRNO(pcsample(NULL, LONG_MIN), EINVAL);
}

TEST(solaris_pcsample_einval_changes_nothing)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 2);
	EXPECT_ERRNO(pcsample(samples, -1), EINVAL);
	spin(TEXT, 1);
	EXPECT_EQ(pcsample(NULL, 0), 3);
}

static volatile long in_handler;

static void sample_again(int sig)
{
	in_handler = sig == SIGUSR1 ? pcsample(samples, N) : -1;
}

TEST(solaris_pcsample_may_be_called_by_a_signal_handler)
{
	signal(SIGUSR1, sample_again);
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 2);
	raise(SIGUSR1);
	EXPECT_EQ(in_handler, 2);
	spin(TEXT, 1);
	EXPECT_EQ(pcsample(NULL, 0), 1);
}

TEST(solaris_pcsample_threads_share_the_array)
{
	thread_start();
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 1);
	thread_spin(TEXT + 2, 1);
	spin(TEXT + 4, 1);
	EXPECT_EQ(pcsample(NULL, 0), 3);
	EXPECT_EQ(samples[0], TEXT);
	EXPECT_EQ(samples[1], TEXT + 2);
	EXPECT_EQ(samples[2], TEXT + 4);
}

TEST(solaris_pcsample_ends_profil)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	EXPECT_EQ(pcsample(samples, N), 0);
	spin(TEXT, 2);
	EXPECT_EQ(buf[0], 1);
	EXPECT_EQ(pcsample(NULL, 0), 2);
}

TEST(solaris_pcsample_is_ended_by_profil)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 1);
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 2);
	EXPECT_EQ(samples[1], 0);
	EXPECT_EQ(buf[0], 2);
}

TEST(solaris_pcsample_count_is_reset_by_profil)
{
	EXPECT_OK(pcsample(samples, N));
	spin(TEXT, 2);
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 3);
	EXPECT_EQ(pcsample(samples, N), 0);
	spin(TEXT, 1);
	profil(0, 0, 0, 0);
	EXPECT_EQ(pcsample(NULL, 0), 0);
}

TEST(solaris_pcsample_is_stopped_by_profil_off)
{
	EXPECT_OK(pcsample(samples, N));
	profil(0, 0, 0, 0);
	spend(TEXT, IDLE_MS);
	EXPECT_EQ(samples[0], 0);
}

TEST(solaris_pcsample_array_may_be_shared_memory)
{
	uintptr_t *shared = shared_pages(4 * PAGE);

	EXPECT_OK(pcsample(shared, 4 * PAGE / sizeof(*shared)));
	spin(TEXT, 3);
	EXPECT_EQ(pcsample(NULL, 0), 3);
	EXPECT_EQ(shared[2], TEXT);
}

TEST(solaris_pcsample_stores_system_time_at_the_return_address)
{
	long n, i, there = 0;

	EXPECT_OK(pcsample(samples, N));
	spend_in_kernel(TEXT + 64, 200);
	n = pcsample(NULL, 0);
	EXPECT_NEAR(n, 20, 2);
	for (i = 0; i < n; i++)
		there += samples[i] == TEXT + 64;
	EXPECT(there >= n - 2);
}
