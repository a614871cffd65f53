// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a tick does: find the profile of the task that it interrupted, take the
 * user PC, and count or store it.
 *
 * profil_tick() runs in the tick's hard interrupt. It takes no lock but the
 * raw ones of counter.c and defer.c, allocates nothing, and does not fault.
 * The profil_update_*() functions are its second half for updates that had to
 * wait; they run with interrupts off too, between profil_enter() and
 * profil_leave().
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "clock.h"
#include "compat.h"
#include "counter.h"
#include "profile.h"
#include "rate.h"
#include "run.h"
#include "sample.h"

/* Add one tick to the counter at @addr. 0, or -EFAULT: not done. */
static int profil_count(struct profil *p, struct profil_run *run,
			const struct profil_region_compiled *region, u64 addr)
{
	switch (profil_counter_add(region, addr)) {
	case PROFIL_COUNT_STORE:
		break;
	case PROFIL_COUNT_STOP:
		profil_unpublish(p, run, PROFIL_STATE_LIMIT);
		fallthrough;
	case PROFIL_COUNT_SATURATED:
		profil_stat_add(&p->status->saturated, 1);
		break;
	default:
		return -EFAULT;
	}
	profil_stat_add(&p->status->counted, 1);
	return 0;
}

static int profil_store(struct profil *p, struct profil_run *run, u64 addr, u64 pc)
{
	if (profil_sample_store(addr, run->width, pc))
		return -EFAULT;
	profil_stat_add(&p->status->counted, 1);
	profil_stat_add(&p->status->nsamples, 1);
	return 0;
}

/* One tick of @update: 0, or -EFAULT with nothing changed. */
int profil_update_apply(struct profil *p, struct profil_run *run,
			const struct profil_update *update)
{
	if (run->mode == PROFIL_MODE_SAMPLES)
		return profil_store(p, run, update->addr, update->value);
	return profil_count(p, run, profil_map_region(run->regions->map, update->index),
			    update->addr);
}

/* Bytes of memory that @update changes. */
unsigned int profil_update_bytes(const struct profil_run *run,
				 const struct profil_update *update)
{
	if (run->mode == PROFIL_MODE_SAMPLES)
		return run->width;
	return profil_map_region(run->regions->map, update->index)->width;
}

/* Ticks that @update stands for. */
u64 profil_update_ticks(const struct profil_run *run,
			const struct profil_update *update)
{
	return run->mode == PROFIL_MODE_SAMPLES ? 1 : update->value;
}

static void profil_stop_region(struct profil *p, struct profil_run *run, u32 region)
{
	if (profil_map_region(run->regions->map, region)->on_fault ==
	    PROFIL_FAULT_STOP_ALL) {
		profil_unpublish(p, run, PROFIL_STATE_FAULT);
		return;
	}
	set_bit(region, run->stopped);
	WRITE_ONCE(run->any_stopped, true);
}

/* The array ends where the first store failed. */
static void profil_stop_array(struct profil *p, struct profil_run *run, s64 at)
{
	s64 end = atomic64_read(&run->end);

	while (at < end && !atomic64_try_cmpxchg(&run->end, &end, at))
		;
	profil_unpublish(p, run, PROFIL_STATE_FAULT);
}

/* The memory of @update is gone: stop what depends on it. */
void profil_update_give_up(struct profil *p, struct profil_run *run,
			   const struct profil_update *update)
{
	u64 ticks = profil_update_ticks(run, update);

	profil_stat_add(&p->status->dropped, ticks);
	profil_stat_add(&p->status->faults, 1);
	if (run->mode == PROFIL_MODE_SAMPLES)
		profil_stop_array(p, run, update->index);
	else
		profil_stop_region(p, run, update->index);
}

/*
 * In user mode, the mm that is loaded is the task's. A system tick may have
 * interrupted code that has loaded another one.
 */
static bool profil_mm_is_tasks(u64 addr, bool user)
{
	return likely(user) || profil_mm_loaded(addr);
}

/* Not inline: what most ticks do not need would be set up for all of them. */
static noinline void profil_tick_defer(struct profil *p, const struct profil_run *run,
				       u64 index, u64 addr, u64 value)
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
}

static void profil_tick_histogram(struct profil *p, struct profil_run *run,
				  u64 pc, bool user)
{
	const struct profil_map *map = run->regions->map;
	const struct profil_region_compiled *region;
	u32 n = profil_map_find(map, pc);
	u64 addr;

	profil_stat_add(&p->status->ticks, 1);
	if (n == PROFIL_NO_REGION ||
	    (unlikely(READ_ONCE(run->any_stopped)) && test_bit(n, run->stopped))) {
		profil_stat_add(&p->status->outside, 1);
		return;
	}
	region = profil_map_region(map, n);
	addr = profil_region_counter(region, pc);
	if (!profil_mm_is_tasks(addr, user) || profil_count(p, run, region, addr))
		profil_tick_defer(p, run, n, addr, 1);
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
		profil_tick_defer(p, run, at, addr, pc);
	if (unlikely(at >= READ_ONCE(run->ask)))
		profil_defer_ahead(p, run, addr);
	if (at + 1 == run->capacity)
		profil_unpublish(p, run, PROFIL_STATE_FULL);
}

static bool profil_tick_wanted(const struct profil_run *run, bool user,
			       unsigned int rates)
{
	if (unlikely(!(rates & BIT(run->rate)))) {
		profil_clock_timer_run(run);
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
	if (current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
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
