// SPDX-License-Identifier: GPL-2.0-only
/*
 * _SC_CLK_TCK samples a second from HZ ticks a second.
 *
 * Of every block of HZ / gcd(HZ, USER_HZ) ticks that a CPU spends on processes
 * profiled at this rate, USER_HZ / gcd are due: 2 of 5 at HZ=250. Which ones is
 * drawn anew for each block (selection sampling), so that totals are exact to
 * a block and nothing that rotates with the ticks is favoured. Per CPU; runs
 * in the tick, with interrupts off.
 */
#include <linux/gcd.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/random.h>

#include "rate.h"

struct profil_block {
	u32		ticks;	/* left in the block */
	u32		due;	/* of these, still to be taken */
	struct rnd_state rnd;
};

static DEFINE_PER_CPU(struct profil_block, profil_block);
static u32 block_ticks, block_due;

/* True if this tick is a sample. Call once for each candidate. */
bool profil_rate_due(void)
{
	struct profil_block *block = this_cpu_ptr(&profil_block);
	bool due;

	if (!block->ticks) {
		block->ticks = block_ticks;
		block->due = block_due;
	}
	due = block->due == block->ticks ||
	      ((u64)prandom_u32_state(&block->rnd) * block->ticks) >> 32 < block->due;
	block->ticks--;
	block->due -= due;
	return due;
}

void profil_rate_init(void)
{
	unsigned long divisor = gcd(HZ, PROFIL_CLOCK_HZ);
	int cpu;

	block_ticks = HZ / divisor;
	block_due = PROFIL_CLOCK_HZ / divisor;
	for_each_possible_cpu(cpu)
		prandom_seed_state(&per_cpu(profil_block, cpu).rnd, get_random_u64());
}
