// SPDX-License-Identifier: GPL-2.0-only
/*
 * Charges a tick to the task that it interrupted: takes the user PC, and counts or
 * stores it.
 *
 * profil_tick() runs in the tick's hard interrupt. It allocates nothing, and does
 * not fault. It takes no lock, except the profile's raw one to defer an update or
 * to push a callback.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>

#include "stack/stack.h"
#include "tick/tick.h"
#include "update/update.h"

/*
 * In user mode, the mm that is loaded is the task's. A system tick may have interrupted
 * an EFI call, for which x86 loads another one. nmi_uaccess_okay() would tell, but
 * modules cannot call it.
 */
static __always_inline bool mm_is_tasks(bool user)
{
#ifdef CONFIG_X86
	return likely(user) || current->mm->pgd == __va(read_cr3_pa());
#else
	return true;
#endif
}

/* Of @n ticks. False: they are dropped. Not inline: most ticks do not need its stack frame. */
static noinline bool defer_update(struct profil *p, struct profil_run *run,
				  u64 index, u64 addr, u64 value, u64 n, bool user)
{
	struct profil_update update = {
		.addr	= addr,
		.value	= value,
		.index	= index,
	};
	bool added = profil_update_defer(p, run, &update);

	profil_stat_add(added ? &p->status->deferred : &p->status->dropped, n);
	profil_callback_push(p, user);
	return added;
}

/* Some regions have stopped, or updates wait. True if @n is a region that has stopped. */
static noinline bool attend(struct profil *p, const struct profil_run *run,
			    u32 n, bool user)
{
	if (user && (READ_ONCE(run->attention) & PROFIL_ATTENTION_WAITING))
		profil_callback_push(p, user);
	return n != PROFIL_NO_REGION && test_bit(n, run->stopped);
}

/* Ticks that are not charged. */
static void lose(struct profil *p, const struct profil_run *run, u64 n)
{
	profil_stat_add(&p->status->ticks, n);
	profil_stat_add(&p->status->dropped, n);
	if (run->stacks)
		profil_stat_add(&p->status->stackless, n);
}

/* Charges one of @n ticks at the same place, or all. Returns how many. */
static __always_inline u64
charge_histogram(struct profil *p, struct profil_run *run, u64 pc, u64 n, bool user)
{
	const struct profil_map *map = &run->regions->map;
	const struct profil_region_compiled *region;
	u32 index = profil_map_find(map, pc);
	u64 addr;

	profil_stat_add(&p->status->ticks, 1);
	if ((unlikely(READ_ONCE(run->attention)) && attend(p, run, index, user)) ||
	    index == PROFIL_NO_REGION) {
		profil_stat_add(&p->status->outside, 1);
		return 1;
	}
	region = profil_map_region(map, index);
	addr = profil_region_counter(region, pc);
	if (likely(mm_is_tasks(user) && !profil_update_count(p, run, region, addr)))
		return 1;
	/* All at once: each would take the lock, and others wait for it with interrupts off. */
	if (unlikely(n > 1))
		profil_stat_add(&p->status->ticks, n - 1);
	defer_update(p, run, index, addr, n, n, user);
	return n;
}

/* The same. */
static __always_inline u64
charge_samples(struct profil *p, struct profil_run *run, u64 pc, u64 n, bool user)
{
	s64 at = atomic64_fetch_inc(&run->position);
	u64 done = 1, addr;

	if (at >= run->capacity) {
		/* A tick that finds the array full is not counted. */
		profil_unpublish(p, run, PROFIL_STATE_FULL);
		return 1;
	}
	profil_stat_add(&p->status->ticks, 1);
	addr = run->buf + at * run->width;
	if ((!mm_is_tasks(user) || profil_update_store(p, run, addr, pc)) &&
	    !defer_update(p, run, at, addr, pc, 1, user) && n > 1) {
		/* Nor is there room for the others. */
		lose(p, run, n - 1);
		done = n;
	}
	if (unlikely(profil_stack_has(run)))
		profil_capture_tick(p, at, pc, user);
	if (unlikely(at >= READ_ONCE(run->ask)) && (user || n == 1))
		profil_callback_push(p, user);
	if (at + 1 == run->capacity)
		profil_unpublish(p, run, PROFIL_STATE_FULL);
	return done;
}

static __always_inline u64 charge(struct profil *p, struct profil_run *run, u64 n, bool user)
{
	/* For a system tick, the PC that the task will return to. */
	u64 pc = instruction_pointer(task_pt_regs(current));

	return run->mode == PROFIL_MODE_HISTOGRAM ? charge_histogram(p, run, pc, n, user) :
						    charge_samples(p, run, pc, n, user);
}

/* Kernel threads that borrowed an mm, and kernel workers of the process. */
static __always_inline bool is_kernels(void)
{
	return profil_task_flags() & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER);
}

static __always_inline bool is_wanted(struct profil *p, struct profil_run *run, bool user)
{
	if (unlikely(run->rate == PROFIL_RATE_FAST || run->flags & PROFIL_WAITS)) {
		profil_timer_watch(p, run);
		if (run->rate == PROFIL_RATE_FAST)
			return false;
	}
	if (!user && (run->flags & PROFIL_USER_ONLY))
		return false;
	return run->rate != PROFIL_RATE_CLOCK || profil_clock_due(&p->choice);
}

/*
 * Charge a tick, of user mode if @user, to the task that it interrupted. Call it only if the
 * timer does not serve the tick's rates.
 */
void profil_tick(struct profil *p, bool user)
{
	struct profil_run *run;

	if (is_kernels())
		return;
	run = profil_enter(p);
	if (run && is_wanted(p, run, user))
		charge(p, run, 1, user);
	profil_leave();
}

/*
 * Charge @n ticks of the current task at the same place, of user mode if @user, to @run, as
 * profil_enter() returned it, less those that the profile has ahead. Those beyond
 * PROFIL_TICKS_MOST are lost. The run queue may be locked. False: such ticks do not count.
 */
bool profil_tick_charge(struct profil *p, struct profil_run *run, bool user, u64 n)
{
	u64 most;

	if (is_kernels())
		return false;
	while (n && atomic_add_unless(&p->choice.ahead, -1, 0))
		n--;
	if (n && !user && (run->flags & PROFIL_USER_ONLY))
		return false;
	most = min_t(u64, n, PROFIL_TICKS_MOST);
	n -= most;
	/* The first one in user mode pushes a callback; the others add to it. */
	for (; most && READ_ONCE(p->live) == run; user = false)
		most -= charge(p, run, most, user);
	if (unlikely(n) && READ_ONCE(p->live) == run)
		lose(p, run, n);
	return true;
}
