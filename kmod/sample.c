// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a tick does: find the profile of the task that it interrupted, take the
 * user PC, and count or store it.
 *
 * profil_tick() runs in the tick's hard interrupt. It takes no lock but the
 * profile's raw one, and that only for what cannot be done at once. It
 * allocates nothing, and does not fault.
 *
 * Layer: tick, on deferral.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "callback.h"
#include "compat.h"
#include "counter.h"
#include "defer.h"
#include "live.h"
#include "profile.h"
#include "rate.h"
#include "run.h"
#include "sample.h"
#include "stack_tick.h"
#include "timer.h"
#include "update.h"

/*
 * In user mode, the mm that is loaded is the task's. A system tick may have
 * interrupted code that has loaded another one.
 */
static bool profil_mm_is_tasks(u64 addr, bool user)
{
	return likely(user) || profil_mm_loaded(addr);
}

/* Not inline: what most ticks do not need would be set up for all of them. */
static noinline void profil_tick_defer(struct profil *p, struct profil_run *run,
				       u64 index, u64 addr, u64 value, bool user)
{
	struct profil_update update = {
		.addr	= addr,
		.value	= value,
		.index	= index,
	};

	if (profil_defer_add(p, run, &update))
		profil_stat_add(&p->status->deferred, 1);
	else
		profil_stat_add(&p->status->dropped, 1);
	profil_callback_push(p, user);
}

/* The tick has been counted, if what is left of it has room to wait. */
static void profil_tick_carry(struct profil *p, struct profil_run *run,
			      u64 index, u64 carry, bool user)
{
	struct profil_update update = {
		.addr	= carry,
		.value	= 1,
		.index	= index,
	};

	if (profil_defer_add(p, run, &update))
		profil_stat_add(&p->status->counted, 1);
	else
		profil_stat_add(&p->status->dropped, 1);
	profil_callback_push(p, user);
}

/*
 * A counter that spans words. Not inline: the carry has an address, and a function
 * with such a variable guards its stack, which would be done for all ticks.
 */
static noinline int profil_tick_count_span(struct profil *p, struct profil_run *run,
					   u32 n, u64 addr, bool user)
{
	const struct profil_region_compiled *region =
		profil_map_region(run->regions->map, n);
	u64 carry;
	int err = profil_count(p, run, profil_counter_add(region, addr, &carry));

	if (err != PROFIL_COUNT_CARRY)
		return err;
	profil_tick_carry(p, run, n, carry, user);
	return 0;
}

/* Count in the region @n, at @addr. 0; -EFAULT, -EAGAIN: not done. */
static __always_inline int
profil_tick_count(struct profil *p, struct profil_run *run, u32 n,
		  const struct profil_region_compiled *region, u64 addr, bool user)
{
	if (!profil_mm_is_tasks(addr, user))
		return -EFAULT;
	if (!profil_counter_is_in_word(region, addr))
		return profil_tick_count_span(p, run, n, addr, user);
	return profil_count(p, run, profil_counter_add_in_word(region, addr));
}

/*
 * Some regions have stopped, or something waits. True if the region @n, if it
 * is one, counts no more.
 */
static noinline bool profil_tick_attend(struct profil *p, const struct profil_run *run,
					u32 n, bool user)
{
	if (user && (READ_ONCE(run->attention) & PROFIL_ATTENTION_WAITING))
		profil_callback_push(p, user);
	return n != PROFIL_NO_REGION && test_bit(n, run->stopped);
}

static void profil_tick_histogram(struct profil *p, struct profil_run *run,
				  u64 pc, bool user)
{
	const struct profil_map *map = run->regions->map;
	const struct profil_region_compiled *region;
	u32 n = profil_map_find(map, pc);
	u64 addr;

	profil_stat_add(&p->status->ticks, 1);
	if ((unlikely(READ_ONCE(run->attention)) &&
	     profil_tick_attend(p, run, n, user)) || n == PROFIL_NO_REGION) {
		profil_stat_add(&p->status->outside, 1);
		return;
	}
	region = profil_map_region(map, n);
	addr = profil_region_counter(region, pc);
	if (unlikely(profil_tick_count(p, run, n, region, addr, user)))
		profil_tick_defer(p, run, n, addr, 1, user);
}

static void profil_tick_samples(struct profil *p, struct profil_run *run,
				u64 pc, bool user)
{
	s64 at = atomic64_fetch_inc(&run->position);
	u64 addr;

	if (at >= run->capacity) {
		/* The tick that finds the array full is not part of it. */
		profil_unpublish(p, run, PROFIL_STATE_FULL);
		return;
	}
	profil_stat_add(&p->status->ticks, 1);
	addr = run->buf + at * run->width;
	if (!profil_mm_is_tasks(addr, user) || profil_store(p, run, addr, pc))
		profil_tick_defer(p, run, at, addr, pc, user);
	if (unlikely(run->stacks))
		profil_stack_tick(p, at, pc, user);
	if (unlikely(at >= READ_ONCE(run->ask)))
		profil_callback_push(p, user);
	if (at + 1 == run->capacity)
		profil_unpublish(p, run, PROFIL_STATE_FULL);
}

static bool profil_tick_wanted(const struct profil_run *run, bool user,
			       unsigned int rates)
{
	if (unlikely(!(rates & BIT(run->rate)))) {
		profil_timer_run(run);
		return false;
	}
	if (!user && (run->flags & PROFIL_USER_ONLY))
		return false;
	return run->rate != PROFIL_RATE_CLOCK || profil_rate_due();
}

/**
 * profil_tick() - charge a tick to the task that it interrupted.
 * @p:     the profile of the task's address space
 * @user:  it interrupted user mode
 * @rates: bit (1 << enum profil_rate) for each rate that this tick is a tick of
 *
 * For ticks that profil_tick_is_tasks() says are the task's.
 */
void profil_tick(struct profil *p, bool user, unsigned int rates)
{
	struct profil_run *run;
	u64 pc;

	/* Kernel threads that borrowed an mm, and workers of the process's. */
	if (profil_task_flags() & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return;
	run = profil_enter(p);
	if (run && profil_tick_wanted(run, user, rates)) {
		/* For a system tick, where the task will return to. */
		pc = instruction_pointer(task_pt_regs(current));
		if (run->mode == PROFIL_MODE_HISTOGRAM)
			profil_tick_histogram(p, run, pc, user);
		else
			profil_tick_samples(p, run, pc, user);
	}
	profil_leave();
}
