// SPDX-License-Identifier: GPL-2.0-only
/*
 * _SC_CLK_TCK samples a second from HZ ticks a second.
 *
 * Of every block of HZ / gcd(HZ, USER_HZ) ticks that a CPU spends on processes
 * profiled at this rate, USER_HZ / gcd are due: 2 of 5 at HZ=250. Which ones is
 * drawn anew for each block (selection sampling), so that totals are exact to
 * a block and nothing that rotates with the ticks is favoured. Per CPU; runs
 * in the tick, with interrupts off.
 *
 * Layer: ground.
 */
#include <linux/gcd.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/time64.h>
#include <linux/profil.h>

#include "rate.h"

struct profil_block {
	u32	ticks;	/* left in the block */
	u32	due;	/* of these, still to be taken */
	u32	random;
};

static DEFINE_PER_CPU(struct profil_block, profil_block);
static u32 block_ticks, block_due;

/*
 * Knuth and Lewis's generator ("Numerical Recipes", ranqd1): two instructions
 * where prandom_u32_state() takes thirty. Its high bits, which count here, are
 * good.
 */
static u32 profil_random(u32 *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random;
}

/* True if this tick is a sample. Call once for each candidate. */
bool profil_rate_due(void)
{
	struct profil_block *block = this_cpu_ptr(&profil_block);
	bool due;

	lockdep_assert_irqs_disabled();
	if (!block->ticks) {
		block->ticks = block_ticks;
		block->due = block_due;
	}
	due = (u64)profil_random(&block->random) * block->ticks >> 32 < block->due;
	block->ticks--;
	block->due -= due;
	return due;
}

/* Mean CPU time between two samples, in nanoseconds. */
u64 profil_rate_period(u32 rate)
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

void profil_rate_init(void)
{
	unsigned long divisor = gcd(HZ, PROFIL_CLOCK_HZ);
	int cpu;

	block_ticks = HZ / divisor;
	block_due = PROFIL_CLOCK_HZ / divisor;
	for_each_possible_cpu(cpu)
		per_cpu(profil_block, cpu).random = get_random_u32();
}
