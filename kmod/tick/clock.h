/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_TICK_CLOCK_H
#define _PROFIL_TICK_CLOCK_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/profil.h>

/* Samples per second for PROFIL_RATE_CLOCK: _SC_CLK_TCK where ticks suffice. */
#define PROFIL_CLOCK_HZ		min(HZ, USER_HZ)

/**
 * struct profil_choice - which ticks of a profile are samples.
 * @key:   random and secret.
 * @ticks: number of ticks so far, at PROFIL_RATE_CLOCK.
 * @ahead: number of samples that timers took too early.
 */
struct profil_choice {
	u64		key;
	atomic_t	ticks;
	atomic_t	ahead;
};

/* Live runs, and those that timers serve. At 0 the hooks return at once. */
extern atomic_t profil_clock_runs, profil_clock_timer_runs;

/* The tick is hooked. Constant after load. */
extern bool profil_clock_hooked;

/*
 * Does a timer serve the tick's rates on @cpu? It does if the CPU's tick is stopped
 * most of the time, or the tick is not hooked.
 */
static __always_inline bool profil_clock_is_timer_on(int cpu)
{
	return unlikely(!profil_clock_hooked) || tick_nohz_full_cpu(cpu);
}

static __always_inline bool profil_clock_is_timer(void)
{
	return profil_clock_is_timer_on(smp_processor_id());
}

/* Mean CPU time between two samples, in nanoseconds. */
static __always_inline u64 profil_clock_period(u32 rate)
{
	switch (rate) {
	case PROFIL_RATE_FAST:
		return NSEC_PER_MSEC;
	case PROFIL_RATE_TICK:
		return NSEC_PER_SEC / HZ;
	default:
		return NSEC_PER_SEC / PROFIL_CLOCK_HZ;
	}
}

/* The place of the one sample of block @block, of @period, of a time that @key stands for. */
static __always_inline u64 profil_clock_place(u64 key, u64 block, u64 period)
{
	u64 hash = key * GOLDEN_RATIO_64 + block;

	hash = (hash ^ hash >> 32) * GOLDEN_RATIO_64;
	hash = (hash ^ hash >> 32) * GOLDEN_RATIO_64;
	return block * period + ((hash >> 32) * period >> 32);
}

/* Set at load: is the module attached to context switches? */
extern bool profil_clock_switches;

bool profil_clock_some_timers(void);
void profil_clock_add(u32 rate, u32 flags, int n);
u32 profil_clock_rates(void);
bool profil_clock_wants_switches(void);
void profil_clock_choose(struct profil_choice *choice);
bool profil_clock_due(struct profil_choice *choice);
void profil_clock_init(void);

#endif /* _PROFIL_TICK_CLOCK_H */
