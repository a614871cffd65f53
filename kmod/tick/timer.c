// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-CPU high-resolution timers. A timer runs on a CPU only while the CPU runs a
 * task whose profile needs it.
 *
 * Each CPU has three: PROFIL_RATE_FAST on the absolute 1 ms grid; the same rate at
 * random distances; and the kernel's tick period on its grid, for the tick's rates on
 * CPUs where the hook does not serve them (nohz_full CPUs, or all if the tick is not
 * hooked). A context switch to a task that needs a timer starts it, and so does a tick
 * that finds such a task. An expired timer that finds no such task is not started
 * again, so other tasks see at most one expiry. The grid is absolute: it does not shift
 * to the time at which a task begins to run.
 *
 * The random distances are exponential. So a timer that is started when its task comes
 * back takes samples as if it had never stopped. Any two slices of CPU time of the same
 * length have the same chance of a sample, whatever their period (McCanne and Torek, A
 * Randomized Sampling Clock for CPU Utilization Estimation and Code Profiling, USENIX
 * Winter 1993).
 *
 * A timer is used only on its own CPU, with interrupts off.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <linux/profil.h>

#include "profile.h"
#include "tick/clock.h"
#include "tick/timer.h"

DEFINE_PER_CPU(struct profil_cpu_timers, profil_cpu_timers);

/* Shortest random distance, 2 % of the mean: a bound for the interrupts. */
#define PROFIL_RANDOM_MIN_NS	(20 * NSEC_PER_USEC)

/* -log2(u / 2^32) in 16.16, within 1 %, and exact on average; u is not 0. */
static u32 neg_log2(u32 u)
{
	unsigned int n = ilog2(u);
	u32 f = ((u64)u << (32 - n)) >> 16 & 0xffff;
	/* log2(1 + f) = f + 0.344 f (1 - f), nearly. */
	u32 curve = ((u64)f * (0x10000 - f) >> 16) * 22544 >> 16;

	return (32U << 16) - (n << 16) - f - curve;
}

/* Exponentially distributed, with a mean of 1 ms. */
static u64 random_distance(struct rnd_state *rnd)
{
	/* ln 2 in units of 1 ms. */
	u64 ns = (u64)neg_log2(prandom_u32_state(rnd) | 1) * 693147 >> 16;

	return max_t(u64, ns, PROFIL_RANDOM_MIN_NS);
}

/* The timer that @run needs on this CPU. */
enum profil_timer_kind profil_timer_of(const struct profil_run *run)
{
	if (run->rate == PROFIL_RATE_FAST)
		return run->flags & PROFIL_RANDOM ? PROFIL_TIMER_RANDOM
						  : PROFIL_TIMER_FAST;
	return profil_clock_is_timer() ? PROFIL_TIMER_TICK : PROFIL_TIMER_NONE;
}

/* When a timer of this kind expires next. */
ktime_t profil_timer_next(enum profil_timer_kind kind, struct rnd_state *rnd)
{
	u64 now = ktime_get_ns(), period;

	if (kind == PROFIL_TIMER_RANDOM)
		return ns_to_ktime(now + random_distance(rnd));
	period = kind == PROFIL_TIMER_FAST ? NSEC_PER_MSEC : TICK_NSEC;
	return ns_to_ktime((div64_u64(now, period) + 1) * period);
}

/*
 * A running timer is left alone. So context switches, however frequent, make no more
 * interrupts than one timer of each kind.
 */
static void start_timer(enum profil_timer_kind kind)
{
	struct profil_cpu_timers *t = this_cpu_ptr(&profil_cpu_timers);

	lockdep_assert_irqs_disabled();
	if (kind == PROFIL_TIMER_NONE || hrtimer_is_queued(&t->timer[kind]))
		return;
	hrtimer_start(&t->timer[kind], profil_timer_next(kind, &t->rnd),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Start the timer for @t, which this CPU runs or switches to. */
void profil_timer_start_for(struct task_struct *t)
{
	struct profil *p = t->mm ? profil_find_of(t->mm, t) : NULL;

	lockdep_assert_irqs_disabled();
	if (p)
		start_timer(profil_timer_for(p));
}

/* Start the timer for the current task. */
void profil_timer_here(void)
{
	profil_timer_start_for(current);
}

/*
 * Start the timer for @run, which the tick does not serve: the current task was
 * already running when @run began. Called between profil_enter() and profil_leave().
 */
void profil_timer_run(const struct profil_run *run)
{
	start_timer(profil_timer_of(run));
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
 * The caller's process has gone live at @rate: start the timer on this CPU, and on
 * CPUs of its other running threads if no tick finds them. (A process that only shares
 * the memory waits for a tick or a context switch.)
 */
void profil_timer_live(u32 rate)
{
	lockdep_assert_irqs_enabled();
	if (rate != PROFIL_RATE_FAST && !profil_clock_some_timers())
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
	ipi_wq = alloc_workqueue("profil_tick", WQ_UNBOUND, 0);
	return ipi_wq ? 0 : -ENOMEM;
}

/* No process is left that could queue work. */
void profil_timer_exit(void)
{
	destroy_workqueue(ipi_wq);
}
