// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that run already when their process is started, on CPUs whose tick
 * does not find them: nohz_full CPUs, and all of them while the tick's hook is
 * switched off. Such a thread need not meet a context switch for hours, so its
 * CPU is interrupted, to start the timer that it needs.
 *
 * No other CPU is touched, and that one not often: a start notes the thread for
 * the CPU, and a work item sees to all that were noted, in rounds that are
 * PROFIL_KICK_PERIOD apart. So a CPU takes at most 20 such interrupts a second,
 * however often however many processes start, and no start is forgotten. Which
 * of several threads runs cannot be seen, and the one that was noted last may be moved
 * away without having run: then their CPU is interrupted all the same.
 *
 * Whether a thread is switched to right now cannot be seen, only whether it is
 * on a run queue. That is enough: with the caller's full barrier after what it
 * changed and the scheduler's own one before it chooses a task, either we see
 * the thread on its queue, or the switch to it sees the change.
 *
 * Layer: source, on tick.
 */
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "clock_use.h"
#include "kick.h"
#include "profile.h"
#include "timer.h"

/* Shortest distance of two rounds. */
#define PROFIL_KICK_PERIOD	max(HZ / 20, 1)

/* A thread to see to on that CPU, with a reference, or NULL. */
static DEFINE_PER_CPU(struct task_struct *, kick_thread);
/* There was another one, too: what has become of the last does not tell. */
static DEFINE_PER_CPU(int, kick_several);
/* When the next round may be; written by the work. */
static unsigned long kick_next = INITIAL_JIFFIES;

static void profil_kick_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(kick_work, profil_kick_work);

/* Is @t likely to run on @cpu, and is there no tick to find it? */
static bool profil_kick_needed(struct task_struct *t, int cpu)
{
	return READ_ONCE(t->on_rq) && task_cpu(t) == cpu &&
	       profil_clock_tick_is_timer_on(cpu);
}

static void profil_kick_here(void *unused)
{
	profil_timer_here();
}

static void profil_kick_cpu(int cpu)
{
	struct task_struct *t = xchg(per_cpu_ptr(&kick_thread, cpu), NULL);

	/* What is noted from here on has another round. */
	if (xchg(per_cpu_ptr(&kick_several, cpu), 0) ||
	    (t && profil_kick_needed(t, cpu)))
		smp_call_function_single(cpu, profil_kick_here, NULL, 1);
	if (t)
		put_task_struct(t);
}

static void profil_kick_queue(void)
{
	unsigned long now = jiffies, next = READ_ONCE(kick_next);

	queue_delayed_work(profil_clock_wq, &kick_work,
			   time_before(now, next) ? next - now : 0);
}

static void profil_kick_work(struct work_struct *work)
{
	int cpu;

	/* Queued while the round before began. */
	if (time_before(jiffies, kick_next)) {
		profil_kick_queue();
		return;
	}
	WRITE_ONCE(kick_next, jiffies + PROFIL_KICK_PERIOD);
	for_each_possible_cpu(cpu)
		profil_kick_cpu(cpu);
}

/* Note @t if it needs it. It is found under RCU, which keeps it. */
static bool profil_kick_note(struct task_struct *t)
{
	struct task_struct *other;
	int cpu = task_cpu(t);

	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "a thread that may go");
	/* On our own CPU we run, and @t has yet to be switched to. */
	if (cpu == raw_smp_processor_id() || !profil_kick_needed(t, cpu))
		return false;
	get_task_struct(t);
	other = xchg(per_cpu_ptr(&kick_thread, cpu), t);
	if (!other)
		return true;
	if (other != t)
		WRITE_ONCE(*per_cpu_ptr(&kick_several, cpu), 1);
	put_task_struct(other);
	return true;
}

/*
 * The caller's process has gone live: see to its other threads. From
 * profil_clock_live(), which has the full barrier. (Processes that share the memory
 * but are no threads of each other wait for a tick or a switch.)
 */
void profil_kick_threads(void)
{
	struct task_struct *t;
	bool noted = false;

	might_sleep();
	if (get_nr_threads(current) == 1)
		return;
	if (!tick_nohz_full_enabled() && !READ_ONCE(profil_tick_replaced))
		return;
	rcu_read_lock();
	/* However many: reading /proc/PID/stat looks at as many, as long. */
	for_each_thread(current, t)
		noted |= profil_kick_note(t);
	rcu_read_unlock();
	if (noted)
		profil_kick_queue();
}

/* The tick's hook is switched off: see to all that is profiled. */
void profil_kick_everyone(void)
{
	struct task_struct *process, *t;
	struct mm_struct *mm;

	WARN_ON_ONCE(!READ_ONCE(profil_tick_replaced));
	rcu_read_lock();
	for_each_process_thread(process, t) {
		/* To be compared only. */
		mm = READ_ONCE(t->mm);
		if (mm && profil_find(mm))
			profil_kick_note(t);
	}
	rcu_read_unlock();
	profil_kick_queue();
}

/* No process is left that could start anything. */
void profil_kick_exit(void)
{
	struct task_struct *t;
	int cpu;

	cancel_delayed_work_sync(&kick_work);
	for_each_possible_cpu(cpu) {
		t = xchg(per_cpu_ptr(&kick_thread, cpu), NULL);
		if (t)
			put_task_struct(t);
	}
}
