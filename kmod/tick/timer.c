// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by CPU time: PROFIL_RATE_FAST, and all rates on CPUs where the hook does not
 * serve them (nohz_full CPUs, or all if the tick is not hooked).
 *
 * A thread's CPU time consists of blocks of one period. Each block has one sample, at a
 * place that is a hash of the thread and the block's number, keyed with a random number of
 * the profile. So each thread gets its due to within one sample, threads that live for less
 * than a period get it on average, and nothing is kept for threads that do not run. No
 * process learns or changes the samples of another.
 *
 * The scheduler's count of a thread's CPU time is exact at each context switch. A switch to
 * a thread starts this CPU's timer for the next sample. If the timer is late, all samples
 * that are due are taken, up to a limit. The switch from the thread takes those that are
 * due by then.
 *
 * At a switch the run queue is locked. What takes a sample wakes nobody, and nobody locks a
 * run queue while he holds the lock of a profile, so a sample may be taken there.
 *
 * Switches also tell stack/waits.c which threads begin and end to wait (PROFIL_WAITS).
 *
 * The state of a CPU is used only on that CPU, with interrupts off.
 */
#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kernel_stat.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <asm/irq_regs.h>

#include "stack/stack.h"
#include "tick/tick.h"

/**
 * struct cpu_state - the thread that this CPU runs, and its next samples.
 * @timer:   expires at the sample, or before.
 * @expires: when @timer expires, by local_clock().
 * @task:    the thread, only compared; NULL: none that has samples here.
 * @run:     id of the run that the thread is sampled for.
 * @block:   number of the block of its next sample.
 * @next:    CPU time of the thread at that sample; U64_MAX: not by @timer.
 * @waiter:  its waits.
 * @taken:   when samples that count were taken last in this time slice, or 0.
 * @behind:  by how much the scheduler's clock is behind local_clock(), apart from
 *           uncounted_ns().
 */
struct cpu_state {
	struct hrtimer			timer;
	u64				expires;
	const struct task_struct	*task;
	u64				run;
	u64				block;
	u64				next;
	struct profil_waiter		waiter;
	u64				taken;
	u64				behind;
};

static DEFINE_PER_CPU(struct cpu_state, cpu_states);

/*
 * Time of this CPU that does not count as CPU time, if the kernel measures it: of
 * interrupts, and what a hypervisor has taken, which is known a tick later. (If the kernel
 * is built so but has no stable clock for that, these are ticks, and samples can be late.)
 */
static __always_inline u64 uncounted_ns(void)
{
	u64 ns = 0;

	if (IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING))
		ns += kcpustat_this_cpu->cpustat[CPUTIME_IRQ] +
		      kcpustat_this_cpu->cpustat[CPUTIME_SOFTIRQ];
	if (IS_ENABLED(CONFIG_PARAVIRT_TIME_ACCOUNTING))
		ns += kcpustat_this_cpu->cpustat[CPUTIME_STEAL];
	return ns;
}

/*
 * The CPU time of the current thread, nearly. The scheduler added to it at exec_start last.
 * It may count less than this, such as when a wakeup has ended the time slice already.
 */
static u64 cpu_time(struct cpu_state *c, u64 now)
{
	u64 sum = READ_ONCE(current->se.sum_exec_runtime);
	s64 since;

	/* Another CPU may add to it now. */
	smp_rmb();
	since = now - uncounted_ns() - c->behind - READ_ONCE(current->se.exec_start);
	/* The kernel has noted stolen time that was before the switch: @behind has it, too. */
	if (since < 0) {
		c->behind += since;
		since = 0;
	}
	return sum + since;
}

/* CPU time of @t at its sample in @block. */
static u64 sample_in(const struct profil *p, u64 period, const struct task_struct *t, u64 block)
{
	return profil_clock_place(p->choice.key + t->start_time, block, period);
}

/* The next sample is the first one of @t after @time. */
static void set_next(struct cpu_state *c, const struct profil *p,
		     const struct profil_run *run, const struct task_struct *t, u64 time)
{
	u64 period = profil_clock_period(run->rate);

	c->block = div64_u64(time, period);
	c->next = sample_in(p, period, t, c->block);
	if (c->next <= time)
		c->next = sample_in(p, period, t, ++c->block);
}

/*
 * An earlier timer is left alone if it is not due soon, as most time slices are short. If
 * it does expire too early, it is started again.
 */
#define SOON_NS	(50 * NSEC_PER_USEC)

/* Start the timer for a sample that is due @ns from @now. */
static void start_timer(struct cpu_state *c, u64 now, u64 ns)
{
	s64 left = c->expires - now;

	if (hrtimer_is_queued(&c->timer) && left >= (s64)min_t(u64, ns, SOON_NS) &&
	    left <= (s64)ns)
		return;
	c->expires = now + ns;
	hrtimer_start(&c->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Does this CPU sample the CPU time or the waits of threads for @run? */
static __always_inline bool is_followed(const struct profil_run *run)
{
	return profil_timer_serves(run) || profil_stack_has_waits(run);
}

/* This CPU samples @t from now on, at @time of its CPU time. */
static void begin(struct cpu_state *c, const struct profil *p,
		  const struct profil_run *run, const struct task_struct *t, u64 time)
{
	c->task = t;
	c->run = run->id;
	c->waiter.next = 0;
	c->taken = 0;
	if (profil_timer_serves(run))
		set_next(c, p, run, t, time);
	else
		c->next = U64_MAX;
}

/* The current thread, which runs already, is sampled from now on. */
static void begin_current(struct cpu_state *c, struct profil *p,
			  const struct profil_run *run, u64 now, u64 time)
{
	begin(c, p, run, current, time);
	if (profil_stack_has_waits(run))
		c->waiter = profil_waits_here(p, run, now - time);
}

static bool is_sampled(const struct cpu_state *c, const struct profil_run *run)
{
	return c->task == current && c->run == run->id;
}

/*
 * Take the samples of the current thread that are due at @time of its CPU time. If they do not
 * count, no other one is left out for them.
 */
static void take_samples(struct cpu_state *c, struct profil *p, struct profil_run *run,
			 u64 time, bool user)
{
	u64 block = c->block;

	if (time < c->next)
		return;
	set_next(c, p, run, current, time);
	if (profil_tick_charge(p, run, user, c->block - block))
		c->taken = time;
}

/* Note the samples after @time that have been taken already. */
static void note_ahead(struct cpu_state *c, struct profil *p, const struct profil_run *run,
		       u64 time)
{
	u64 block = c->block;

	if (time >= c->taken)
		return;
	c->taken = 0;
	set_next(c, p, run, current, time);
	/* No more than have been counted. */
	atomic_add(min_t(u64, block - c->block, PROFIL_TICKS_MOST), &p->choice.ahead);
}

/*
 * Sample the current thread for @run, if this CPU does not yet: it was already running
 * when @run began. Called between profil_enter() and profil_leave().
 */
void profil_timer_watch(struct profil *p, const struct profil_run *run)
{
	struct cpu_state *c = this_cpu_ptr(&cpu_states);
	u64 now = local_clock(), time = cpu_time(c, now);

	lockdep_assert_irqs_disabled();
	if (!is_sampled(c, run))
		begin_current(c, p, run, now, time);
	else if (hrtimer_is_queued(&c->timer))
		return;
	if (c->next == U64_MAX)
		return;
	start_timer(c, now, c->next > time ? c->next - time : 0);
}

/* Sample the current thread, if its profile needs the timer. */
void profil_timer_here(void)
{
	struct profil *p = current->mm ? profil_find_of(current->mm, current) : NULL;
	const struct profil_run *run;

	if (!p)
		return;
	run = profil_enter(p);
	if (run && is_followed(run))
		profil_timer_watch(p, run);
	else
		/* What the thread runs from now on is not for the run that this CPU knows. */
		this_cpu_write(cpu_states.task, NULL);
	profil_leave();
}

/*
 * When the next sample is due; 0: the thread is not sampled. In a softirq, whose time may
 * not be the thread's, not before a while.
 */
static u64 expired(struct cpu_state *c, struct profil *p, bool user)
{
	struct profil_run *run = profil_enter(p);
	u64 now = local_clock(), time, due = 0;

	if (run && profil_timer_serves(run)) {
		time = cpu_time(c, now);
		if (is_sampled(c, run))
			take_samples(c, p, run, time, user);
		else
			begin_current(c, p, run, now, time);
		due = now + max_t(u64, c->next - time, in_serving_softirq() ? SOON_NS : 0);
	}
	profil_leave();
	return due;
}

/* Other tasks see one expiry at most: the timer is not started again. */
static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct cpu_state *c = this_cpu_ptr(&cpu_states);
	struct pt_regs *regs = get_irq_regs();
	struct profil *p = NULL;
	u64 due;

	/* A CPU that goes offline leaves its timer to another. */
	if (timer == &c->timer && regs && current->mm)
		p = profil_find_of(current->mm, current);
	due = p ? expired(c, p, user_mode(regs)) : 0;
	if (!due)
		return HRTIMER_NORESTART;
	c->expires = due;
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), due - local_clock()));
	return HRTIMER_RESTART;
}

/* Take samples that the timer has missed, or note those that it took too early. */
static void settle(struct cpu_state *c, struct profil *p, struct profil_run *run, u64 time)
{
	take_samples(c, p, run, time, false);
	note_ahead(c, p, run, time);
}

/* The current thread is about to stop the run of @p. */
void profil_timer_settle(struct profil *p)
{
	struct profil_run *run;
	struct cpu_state *c;

	if (current->mm != p->mm)
		return;
	local_irq_disable();
	c = this_cpu_ptr(&cpu_states);
	run = profil_enter(p);
	if (run && is_sampled(c, run))
		settle(c, p, run, cpu_time(c, local_clock()));
	profil_leave();
	local_irq_enable();
}

/* Does the CPU time of the thread differ from its samples so far? */
static __always_inline bool is_due(const struct cpu_state *c, u64 time)
{
	return time >= c->next || time < c->taken;
}

static __always_inline void end(struct cpu_state *c, struct profil *p, struct profil_run *run,
				bool preempt, u64 time)
{
	if (unlikely(is_due(c, time)))
		settle(c, p, run, time);
	if (PROFIL_HAS_STACKS && c->waiter.next)
		profil_waits_out(p, c->waiter, preempt || !profil_task_state(current));
}

/* Not inline, like all that only switches of threads with samples need. */
static noinline void switch_out(struct cpu_state *c, bool preempt, u64 time)
{
	struct profil *p = current->mm ? profil_find_of(current->mm, current) : NULL;
	struct profil_run *run;

	if (!p)
		return;
	run = profil_enter(p);
	if (run && is_sampled(c, run))
		end(c, p, run, preempt, time);
	profil_leave();
}

static __always_inline void begin_next(struct cpu_state *c, struct profil *p,
				       const struct profil_run *run, struct task_struct *t)
{
	u64 now = local_clock();

	/* The scheduler has just set it from its clock. */
	c->behind = now - uncounted_ns() - t->se.exec_start;
	begin(c, p, run, t, t->se.sum_exec_runtime);
	if (profil_stack_has_waits(run))
		c->waiter = profil_waits_in(p, run, t, now);
	if (c->next != U64_MAX)
		start_timer(c, now, c->next - t->se.sum_exec_runtime);
}

static noinline void switch_in(struct cpu_state *c, struct profil *p, struct task_struct *t)
{
	const struct profil_run *run = profil_enter(p);

	if (run && is_followed(run))
		begin_next(c, p, run, t);
	profil_leave();
}

/* Both threads belong to @p. False: the current one is not sampled for it. */
static noinline bool switch_within(struct cpu_state *c, struct profil *p, bool preempt,
				   struct task_struct *t, u64 time)
{
	struct profil_run *run = profil_enter(p);
	bool sampled = run && is_sampled(c, run);

	if (likely(sampled)) {
		end(c, p, run, preempt, time);
		begin_next(c, p, run, t);
	}
	profil_leave();
	return sampled;
}

/* This CPU has sampled a thread. */
static noinline void switch_from(struct cpu_state *c, bool preempt, struct task_struct *prev,
				 struct task_struct *next)
{
	struct profil *p = next->mm ? profil_find_of(next->mm, next) : NULL;
	u64 time = prev->se.sum_exec_runtime;

	if (c->task == prev && (c->waiter.next || is_due(c, time))) {
		if (p && next->mm == current->mm && switch_within(c, p, preempt, next, time))
			return;
		switch_out(c, preempt, time);
	}
	c->task = NULL;
	if (p)
		switch_in(c, p, next);
}

/* Called at a context switch, with the run queue locked and interrupts off. */
void profil_timer_switched(void *unused, bool preempt, struct task_struct *prev,
			   struct task_struct *next)
{
	struct cpu_state *c = this_cpu_ptr(&cpu_states);
	struct profil *p;

	if (c->task) {
		switch_from(c, preempt, prev, next);
		return;
	}
	p = next->mm ? profil_find_of(next->mm, next) : NULL;
	if (p)
		switch_in(c, p, next);
}

/*
 * A process may start a profile while its other threads run on CPUs whose tick does
 * not find them: nohz_full CPUs, or all CPUs if the tick is not hooked. Such a thread
 * may have no context switch for hours, so its CPU is interrupted.
 *
 * A start only notes the CPUs. A work item interrupts them, in rounds that are
 * ROUND_MS apart. So a CPU takes at most 20 such interrupts a second, however many
 * processes start however often, and no start is forgotten.
 *
 * A start cannot see a switch in progress, only whether a thread is on a run queue.
 * That is enough. There is a full barrier after the caller's change, and one in the
 * scheduler before it chooses a task. So either the start sees the thread on its
 * queue, or the switch to the thread sees the change.
 */
#define ROUND_MS	50

static struct cpumask noted;
/* Unbound, so that the work does not run on an isolated CPU. */
static struct workqueue_struct *ipi_wq;

static void start_here(void *unused)
{
	profil_timer_here();
}

static void ipi_round(struct work_struct *work)
{
	int cpu;

	for_each_cpu(cpu, &noted)
		if (cpumask_test_and_clear_cpu(cpu, &noted))
			smp_call_function_single(cpu, start_here, NULL, 1);
	/* The next round takes CPUs noted meanwhile. */
	msleep(ROUND_MS);
}

static DECLARE_WORK(ipi_work, ipi_round);

/* Note the CPUs of the caller's other threads that no tick finds. */
static void note_threads(void)
{
	struct task_struct *t;
	bool some = false;
	int cpu;

	rcu_read_lock();
	/* No bound: reading /proc/PID/stat loops over as many threads. */
	for_each_thread(current, t) {
		cpu = task_cpu(t);
		/* This CPU runs the caller, so it has yet to switch to @t. */
		if (cpu == raw_smp_processor_id() || !READ_ONCE(t->on_rq) ||
		    !profil_clock_is_timer_on(cpu))
			continue;
		cpumask_set_cpu(cpu, &noted);
		some = true;
	}
	rcu_read_unlock();
	/* Ordered by queue_work(): work that is already queued sees the CPUs. */
	if (some)
		queue_work(ipi_wq, &ipi_work);
}

/*
 * The caller's process has gone live at @rate with @flags: start the timer on this CPU, and
 * on CPUs of its other running threads if no tick finds them. (A process that only shares
 * the memory waits for a tick or a context switch.)
 */
void profil_timer_live(u32 rate, u32 flags)
{
	lockdep_assert_irqs_enabled();
	if (rate != PROFIL_RATE_FAST && !(flags & (PROFIL_WAITS | PROFIL_THREAD)) &&
	    !profil_clock_some_timers())
		return;
	/* Pairs with the scheduler's barrier, see above. */
	smp_mb();
	local_irq_disable();
	profil_timer_here();
	local_irq_enable();
	if (profil_clock_some_timers() && get_nr_threads(current) > 1)
		note_threads();
}

int __init profil_timer_init(void)
{
	int cpu;

	/* docs/security.md states the memory for each CPU. */
	BUILD_BUG_ON(sizeof(struct cpu_state) + sizeof(profil_inflight) > 200);
	for_each_possible_cpu(cpu)
		hrtimer_setup(&per_cpu(cpu_states, cpu).timer, timer_expired,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	ipi_wq = alloc_workqueue("profil_tick", WQ_UNBOUND, 0);
	return ipi_wq ? 0 : -ENOMEM;
}

/* No process is left that could queue work, and nothing else starts timers any more. */
void profil_timer_exit(void)
{
	int cpu;

	destroy_workqueue(ipi_wq);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu(cpu_states, cpu).timer);
}
