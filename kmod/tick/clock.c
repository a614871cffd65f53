// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rates, which of them timers serve, and the number of live runs. A start and a
 * stop only count runs here: the sources of ticks are attached from load to unload
 * (source.c).
 *
 * Callable from any context but NMIs; takes no lock.
 */
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/gcd.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/time64.h>
#include <linux/profil.h>

#include "tick/clock.h"

static bool restrict_fastprof;
module_param(restrict_fastprof, bool, 0644);
MODULE_PARM_DESC(restrict_fastprof,
		 "Y refuses the 1 ms rate with EACCES; if Y at load, until unload (default N)");

atomic_t profil_clock_runs, profil_clock_timer_runs;
bool profil_clock_hooked __ro_after_init, profil_clock_switches __ro_after_init;
static bool fast_allowed __ro_after_init;

/* Do timers serve the tick's rates on some CPU? */
bool profil_clock_some_timers(void)
{
	return !profil_clock_hooked || tick_nohz_full_enabled();
}

/*
 * Add @n to the runs at @rate with @flags: 1 before a run is published, -1 once it is
 * unpublished.
 */
void profil_clock_add(u32 rate, u32 flags, int n)
{
	WARN_ON_ONCE(in_nmi());
	WARN_ON_ONCE(atomic_add_return(n, &profil_clock_runs) < 0);
	if (rate == PROFIL_RATE_FAST || flags & PROFIL_WAITS || profil_clock_some_timers())
		atomic_add(n, &profil_clock_timer_runs);
}

/* Bit (1 << enum profil_rate) for each rate that is granted now. */
u32 profil_clock_rates(void)
{
	u32 rates = BIT(PROFIL_RATE_CLOCK) | BIT(PROFIL_RATE_TICK);

	/* Without high resolution, timers expire in ticks, which may be too few. */
	if (profil_clock_switches && fast_allowed && hrtimer_resolution <= NSEC_PER_MSEC &&
	    !READ_ONCE(restrict_fastprof))
		rates |= BIT(PROFIL_RATE_FAST);
	return rates;
}

/* At load, when profil_clock_hooked is set: do timers serve a rate? */
bool __init profil_clock_wants_switches(void)
{
	return !restrict_fastprof || profil_clock_some_timers();
}

static u32 block_ticks __ro_after_init, block_due __ro_after_init;

/*
 * _SC_CLK_TCK samples a second from HZ ticks a second.
 *
 * Of each block of HZ / gcd(HZ, USER_HZ) ticks of a profile, USER_HZ / gcd are due: 2
 * of 5 at HZ=250. A hash of the block's number, keyed with a random number of the
 * profile, chooses them. So the number of samples is exact to one block of the
 * profile's own ticks, however many tasks share the CPU. Code that runs in step with
 * the ticks is not favoured. No process learns or changes the samples of another.
 * Blocks continue from run to run; otherwise a program that restarts after each sample
 * could choose its ticks. A profile may have ticks on several CPUs at once.
 */

/* Called for a new profile. */
void profil_clock_choose(struct profil_choice *choice)
{
	choice->key = get_random_u64();
	atomic_set(&choice->ticks, 0);
	atomic_set(&choice->ahead, 0);
}

/* Is this tick of the profile a sample? Call once for each candidate. */
bool profil_clock_due(struct profil_choice *choice)
{
	u32 n = atomic_fetch_inc(&choice->ticks);
	u32 at = n % block_ticks, stride;
	u64 hash = (choice->key + n / block_ticks) * GOLDEN_RATIO_64;

	hash = (hash ^ hash >> 32) * GOLDEN_RATIO_64 >> 32;
	/*
	 * at * stride + hash takes each remainder once, as stride and block_ticks have
	 * no common divisor. Modulo 5, strides 7 and 11 are 2 and 1: with any first
	 * remainder, all pairs are equally likely.
	 */
	BUILD_BUG_ON(HZ % 7 == 0 || HZ % 11 == 0);
	stride = hash & 1 ? 7 : 11;
	return (((u32)hash >> 1) + at * stride) % block_ticks < block_due;
}

void __init profil_clock_init(void)
{
	unsigned long divisor = gcd(HZ, PROFIL_CLOCK_HZ);

	block_ticks = HZ / divisor;
	block_due = PROFIL_CLOCK_HZ / divisor;
	fast_allowed = !restrict_fastprof;
}
