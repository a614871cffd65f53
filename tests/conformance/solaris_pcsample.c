// SPDX-License-Identifier: LGPL-2.1-or-later
/* Solaris: pcsample(2). */
#include <pcsample.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "ticks.h"

#define N	64

static uintptr_t samples[N + 8];
static unsigned short buf[64];

TEST_TYPE(solaris_pcsample_takes_an_array_and_its_length,
	long (*call)(uintptr_t [], long), pcsample, CHECK_OK, samples, N)

TEST(solaris_pcsample_counts_cpu_time_only)
{
	CHECK_OK(pcsample(samples, N));
	idle(100);
	CHECK_EQ(pcsample(samples, N), 0);
}

TEST(solaris_pcsample_stores_one_pc_per_tick)
{
	CHECK_EQ(sizeof(samples[0]), sizeof(void *));
	CHECK_OK(pcsample(samples, N));
	spin(FAR_TEXT, 1);
	CHECK(samples[0] == FAR_TEXT && !samples[1]);
	spin(FAR_TEXT, 4);
	CHECK(samples[4] == FAR_TEXT && !samples[5]);
	CHECK_EQ(pcsample(samples, 0), 5);
}

TEST(solaris_pcsample_stores_pcs_unchanged)
{
	static const unsigned long pcs[] = {
		TEXT + 1, FAR_TEXT + 7, 0x20000, 0x7e0000001000UL,
	};

	CHECK_OK(pcsample(samples, N));
	for (unsigned int i = 0; i < COUNT(pcs); i++)
		spin(pcs[i], 1);
	CHECK_EQ(pcsample(NULL, 0), COUNT(pcs));
	for (unsigned int i = 0; i < COUNT(pcs); i++)
		CHECK_EQ(samples[i], pcs[i]);
}

TEST(solaris_pcsample_stops_when_the_array_is_full)
{
	CHECK_OK(pcsample(samples, 4));
	spin_until_off(TEXT);
	CHECK_EQ(samples[3], TEXT);
	CHECK_EQ(samples[4], 0);
}

TEST(solaris_pcsample_array_lasts_nsamples_over_hz_seconds)
{
	CHECK_OK(pcsample(samples, 20));
	spend(TEXT, 160);
	CHECK(profile_is_on());
	spend(TEXT, 80);
	CHECK(!profile_is_on());
	CHECK_EQ(pcsample(samples, N), 20);
	spend(TEXT, 400);
	CHECK_NEAR(pcsample(NULL, 0), sysconf(_SC_CLK_TCK) * 400 / 1000, 2);
}

TEST(solaris_pcsample_nsamples_0_stops)
{
	for (int i = 0; i < 2; i++) {
		CHECK_OK(pcsample(samples, N));
		spin(TEXT, 2);
		CHECK_EQ(pcsample(i ? NULL : samples, 0), 2);
		CHECK(!profile_is_on());
		spend(TEXT, IDLE_MS);
		CHECK_EQ(samples[2], 0);
	}
}

TEST(solaris_pcsample_stop_counts_to_the_last_sample)
{
	for (int i = 0; i < 20; i++) {
		uintptr_t *fresh = pages(PAGE);

		CHECK_EQ(pcsample(fresh, 8), 0);
		spin(TEXT, 1);
		CHECK_EQ(pcsample(NULL, 0), 1);
		CHECK_EQ(fresh[0], TEXT);
	}
}

static void child_goes_on(void)
{
	spin(TEXT + 2, 1);
	CHECK_EQ(samples[0], TEXT);
	CHECK_EQ(samples[1], TEXT + 2);
}

TEST(solaris_pcsample_continues_after_fork)
{
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 1);
	in_child(child_goes_on);
	spin(TEXT + 4, 1);
	CHECK_EQ(pcsample(NULL, 0), 2);
	CHECK_EQ(samples[1], TEXT + 4);
}

static void child_asks(void)
{
	spin(TEXT, 2);
	CHECK_EQ(pcsample(NULL, 0), 5);
	CHECK_EQ(pcsample(NULL, 0), 0);
}

TEST(solaris_pcsample_fork_child_has_its_parents_count)
{
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 3);
	in_child(child_asks);
	CHECK_EQ(pcsample(NULL, 0), 3);
}

static void child_fills_up(void)
{
	spend(TEXT, 60);
	CHECK_EQ(samples[3], TEXT);
	CHECK_EQ(samples[4], 0);
	CHECK_EQ(pcsample(NULL, 0), 4);
}

TEST(solaris_pcsample_fork_child_fills_what_is_left)
{
	CHECK_OK(pcsample(samples, 4));
	spin(TEXT, 3);
	in_child(child_fills_up);
	CHECK_EQ(samples[3], 0);
}

TEST(solaris_pcsample_exec_disables)
{
	uintptr_t *shared = shared_pages(PAGE);

	CHECK_OK(pcsample(shared, 16));
	spin(TEXT, 1);
	exec_turns_off();
}

ROLE(first_call)
{
	return (int)pcsample((uintptr_t *)samples, (long)role_argument(argv));
}

TEST(solaris_pcsample_returns_0_after_exec)
{
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 2);
	become("first_call", 4);
}

TEST(solaris_pcsample_memory_fault_disables)
{
	uintptr_t *array = pages(2 * PAGE);

	unmap(&array[PAGE / sizeof(*array)], PAGE);
	CHECK_OK(pcsample(array + 510, 16));
	spin_until_off(TEXT);
	CHECK_EQ(array[511], TEXT);
	CHECK_EQ(pcsample(NULL, 0), 2);
}

TEST(solaris_pcsample_array_is_not_looked_at_before_a_tick)
{
	CHECK_OK(pcsample((uintptr_t *)NOT_MAPPED, 16));
	CHECK(profile_is_on());
	spin_until_off(TEXT);
	CHECK_OK(pcsample(NULL, 0));
	CHECK_OK(pcsample((uintptr_t *)KERNEL_ADDRESS, 16));
	spend(TEXT, IDLE_MS);
	CHECK_OK(pcsample(NULL, 0));
}

TEST(solaris_pcsample_of_more_than_user_space_stores_what_fits)
{
	CHECK_OK(pcsample(samples, LONG_MAX));
	spin(TEXT, 2);
	CHECK_EQ(samples[1], TEXT);
	CHECK_EQ(pcsample(NULL, 0), 2);
}

TEST(solaris_pcsample_returns_what_the_call_before_stored)
{
	uintptr_t *second = pages(PAGE);

	CHECK_OK(pcsample(NULL, 0));
	spend(TEXT, 20);
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 3);
	CHECK_EQ(pcsample(second, N), 3);
	spin(TEXT, 5);
	CHECK_EQ(pcsample(samples, N), 5);
	CHECK_EQ(pcsample(samples, N), 0);
	CHECK_EQ(second[4], TEXT);
	CHECK_EQ(second[5], 0);
}

TEST(solaris_pcsample_returns_nsamples_of_a_full_array)
{
	CHECK_OK(pcsample(samples, 3));
	spend(TEXT, 80);
	CHECK_EQ(pcsample(samples, 3), 3);
	spin(TEXT, 1);
	CHECK_EQ(pcsample(NULL, 0), 1);
	CHECK_EQ(pcsample(NULL, 0), 0);
}

TEST(solaris_pcsample_new_call_starts_at_the_front)
{
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 2);
	CHECK_EQ(pcsample(samples, N), 2);
	spin(TEXT + 8, 1);
	CHECK_EQ(samples[0], TEXT + 8);
	CHECK_EQ(samples[1], TEXT);
}

TEST(solaris_pcsample_negative_nsamples_is_einval)
{
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 2);
	CHECK_FAILS(pcsample(samples, -1), EINVAL);
	CHECK_FAILS(pcsample(NULL, LONG_MIN), EINVAL);
	spin(TEXT, 1);
	CHECK_EQ(pcsample(NULL, 0), 3);
}

static volatile long in_handler;

static void sample_again(int sig)
{
	in_handler = sig == SIGUSR1 ? pcsample(samples, N) : -1;
}

TEST(solaris_pcsample_may_be_called_by_a_signal_handler)
{
	signal(SIGUSR1, sample_again);
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 2);
	raise(SIGUSR1);
	CHECK_EQ(in_handler, 2);
	spin(TEXT, 1);
	CHECK_EQ(pcsample(NULL, 0), 1);
}

TEST(solaris_pcsample_threads_share_the_array)
{
	thread_start();
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 1);
	thread_spin(TEXT + 2, 1);
	spin(TEXT + 4, 1);
	CHECK_EQ(pcsample(NULL, 0), 3);
	CHECK_EQ(samples[0], TEXT);
	CHECK_EQ(samples[1], TEXT + 2);
	CHECK_EQ(samples[2], TEXT + 4);
}

TEST(solaris_pcsample_ends_profil)
{
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 1);
	CHECK_EQ(pcsample(samples, N), 0);
	spin(TEXT, 2);
	CHECK_EQ(buf[0], 1);
	CHECK_EQ(pcsample(NULL, 0), 2);
}

TEST(solaris_pcsample_is_ended_by_profil)
{
	CHECK_OK(pcsample(samples, N));
	spin(TEXT, 1);
	profil(buf, sizeof(buf), TEXT, 0x8000);
	spin(TEXT, 2);
	CHECK_EQ(samples[1], 0);
	CHECK_EQ(buf[0], 2);
	CHECK_EQ(pcsample(samples, N), 0);
	spin(TEXT, 1);
	profil(0, 0, 0, 0);
	spend(TEXT, IDLE_MS);
	CHECK_EQ(samples[1], 0);
	CHECK_EQ(pcsample(NULL, 0), 0);
}

TEST(solaris_pcsample_array_may_be_shared_memory)
{
	uintptr_t *shared = shared_pages(4 * PAGE);

	CHECK_OK(pcsample(shared, 4 * PAGE / sizeof(*shared)));
	spin(TEXT, 3);
	CHECK_EQ(pcsample(NULL, 0), 3);
	CHECK_EQ(shared[2], TEXT);
}

TEST(solaris_pcsample_stores_system_time_at_the_return_address)
{
	long n, i, there = 0;

	CHECK_OK(pcsample(samples, N));
	spend_in_kernel(TEXT + 64, 200);
	n = pcsample(NULL, 0);
	CHECK_NEAR(n, 20, 2);
	for (i = 0; i < n; i++)
		there += samples[i] == TEXT + 64;
	CHECK(there >= n - 2);
}
