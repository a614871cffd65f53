// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources of ticks, from load to unload: the tick's hook, and timers, which
 * context switches start for the tasks that need them.
 *
 * Only this file patches kernel text, when root loads or unloads the module. No call
 * of an unprivileged process patches kernel text, or waits for a grace period (except for
 * 512 ended profiles of its own user). All locks of the module that processes share are raw
 * spinlocks, held for a few instructions.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tick/tick.h"

/* NULL: the kernel has no such tracepoint, or no timer needs it. */
static struct tracepoint *switches;

/* Called by the scheduler with the run queue locked and interrupts off. */
static notrace void switched(PROFIL_SWITCH_PROBE_ARGS)
{
	if (atomic_read(&profil_clock_timer_runs))
		profil_timer_switched(data, preempt, prev, next);
}

static void __init find_switches(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		switches = tp;
}

/* False: there is no tracepoint, so nothing starts timers, and the fast rate is off. */
static bool __init attach_switches(void)
{
	for_each_kernel_tracepoint(find_switches, NULL);
	if (switches && tracepoint_probe_register(switches, switched, NULL))
		switches = NULL;
	return switches;
}

static void detach_switches(void)
{
	if (!switches)
		return;
	tracepoint_probe_unregister(switches, switched, NULL);
	tracepoint_synchronize_unregister();
}

/*
 * Kernels with CONFIG_IRQ_TIME_ACCOUNTING take the time of interrupts and softirqs off a
 * tick before they add it to the task's CPU time. So a tick is not one period there, and
 * timers, which count CPU time, serve all rates. They do too if the tick cannot be hooked.
 */
int __init profil_source_init(void)
{
	int err = profil_timer_init();

	if (err)
		return err;
	if (IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING) && attach_switches()) {
		profil_clock_switches = true;
		return 0;
	}
	err = profil_hook_attach();
	profil_clock_hooked = !err;
	profil_clock_switches = profil_clock_wants_switches() && attach_switches();
	if (profil_clock_hooked) {
		if (profil_clock_wants_switches() && !switches)
			pr_notice("cannot attach to sched_switch: no 1 ms rate (enable tracepoints)\n");
		return 0;
	}
	if (switches) {
		pr_notice("cannot hook the tick (error %d): enable ftrace; using timers\n", err);
		return 0;
	}
	pr_err("no usable tick source: enable ftrace (error %d) or tracepoints\n", err);
	profil_timer_exit();
	return err;
}

/* No run is left, and none can start. */
void profil_source_exit(void)
{
	WARN_ON_ONCE(atomic_read(&profil_clock_runs) ||
		     atomic_read(&profil_clock_timer_runs));
	if (profil_clock_hooked)
		profil_hook_detach();
	detach_switches();
	/* The hook and the tracepoint may have started timers until now. */
	profil_timer_exit();
}
