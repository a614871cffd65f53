// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick clock: update_process_times(), which the kernel calls once a tick
 * on each CPU, from the timer interrupt. The function has had this name,
 * signature and role since before 5.10. ftrace costs a third of what a kprobe
 * does; the kprobe serves kernels without dynamic ftrace.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/profil.h>
#include <asm/irq_regs.h>

#include "clock.h"
#include "compat.h"
#include "live.h"
#include "sample.h"

#define PROFIL_TICK_FUNCTION	"update_process_times"
#define PROFIL_TICK_RATES	(BIT(PROFIL_RATE_CLOCK) | BIT(PROFIL_RATE_TICK))

/*
 * A tick of this CPU. Most find a process that is not profiled: for those, and
 * for one that has been and still maps its page, only what it takes to know that.
 */
static __always_inline void profil_tick_hit(void)
{
	struct mm_struct *mm = current->mm;
	struct pt_regs *regs;
	struct profil *p;

	if (!mm)
		return;
	p = profil_find(mm);
	if (likely(!p) || !profil_is_live(p))
		return;
	regs = get_irq_regs();
	if (unlikely(profil_clock_tick_is_timer()))
		profil_clock_timer_here();
	else if (regs && profil_tick_is_tasks(regs, 1))
		profil_tick(p, user_mode(regs), PROFIL_TICK_RATES);
}

/*
 * Hooked in the same way as the tick, and called to see whether hooks are
 * called: the administrator can switch all of them off.
 */
#define PROFIL_PROBE_FUNCTION	"profil_hook_probe"
void profil_hook_probe(void);
static atomic_t profil_probe_hits;

noinline void profil_hook_probe(void)
{
	barrier();
}

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace profil_ftrace_tick(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *ops,
				       struct ftrace_regs *fregs)
{
	profil_tick_hit();
}

static void notrace profil_ftrace_probe(unsigned long ip, unsigned long parent_ip,
					struct ftrace_ops *ops,
					struct ftrace_regs *fregs)
{
	atomic_inc(&profil_probe_hits);
}

static struct ftrace_ops tick_ops = {
	.func	= profil_ftrace_tick,
	.flags	= PROFIL_FTRACE_NO_RECURSION,
};

static struct ftrace_ops probe_ops = {
	.func	= profil_ftrace_probe,
	.flags	= PROFIL_FTRACE_NO_RECURSION,
};

/* An empty filter: what an unregistered one holds is not freed otherwise. */
static void profil_ftrace_forget(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}

static int profil_ftrace_hook(struct ftrace_ops *ops, char *function)
{
	int err = ftrace_set_filter(ops, function, strlen(function), 1);

	if (!err)
		err = register_ftrace_function(ops);
	if (err)
		profil_ftrace_forget(ops);
	return err;
}

static void profil_ftrace_unhook(struct ftrace_ops *ops)
{
	/* Fails only if ftrace has broken down, which it says itself. */
	WARN_ON_ONCE(unregister_ftrace_function(ops));
	profil_ftrace_forget(ops);
}

static int profil_ftrace_start(void)
{
	int err = profil_ftrace_hook(&tick_ops, PROFIL_TICK_FUNCTION);

	/* If anything fails it is this, before any code has been patched. */
	if (err)
		return err;
	err = profil_ftrace_hook(&probe_ops, PROFIL_PROBE_FUNCTION);
	if (err)
		profil_ftrace_unhook(&tick_ops);
	return err;
}

static void profil_ftrace_stop(void)
{
	profil_ftrace_unhook(&tick_ops);
	profil_ftrace_unhook(&probe_ops);
}
#else
static int profil_ftrace_start(void) { return -EOPNOTSUPP; }
static void profil_ftrace_stop(void) { }
#endif

#ifdef CONFIG_KPROBES
/*
 * A kprobe by breakpoint, which is what it is without ftrace, comes as an NMI,
 * where no lock may be taken. What it has seen is charged in an interrupt of our
 * own right after the tick's, when the task and its registers are still the
 * same.
 */
struct profil_late_tick {
	struct irq_work		work;
	struct task_struct	*task;	/* to be compared only */
	bool			user;
};

static void profil_late_tick_work(struct irq_work *work)
{
	struct profil_late_tick *late = container_of(work, struct profil_late_tick, work);
	struct profil *p = current->mm ? profil_find(current->mm) : NULL;

	if (p && late->task == current)
		profil_tick(p, late->user, PROFIL_TICK_RATES);
}

static DEFINE_PER_CPU(struct profil_late_tick, profil_late_tick);

static void profil_tick_hit_by_nmi(void)
{
	struct profil_late_tick *late = this_cpu_ptr(&profil_late_tick);
	struct pt_regs *regs = get_irq_regs();

	if (!current->mm || !profil_find(current->mm))
		return;
	/* The NMI counts as a hard interrupt, too. */
	if (!regs || profil_clock_tick_is_timer() || !profil_tick_is_tasks(regs, 2))
		return;
	late->task = current;
	late->user = user_mode(regs);
	irq_work_queue(&late->work);
}

NOKPROBE_SYMBOL(profil_tick_hit_by_nmi);

static int profil_kprobe_tick(struct kprobe *kp, struct pt_regs *regs)
{
	if (in_nmi())
		profil_tick_hit_by_nmi();
	else
		profil_tick_hit();
	return 0;
}

NOKPROBE_SYMBOL(profil_kprobe_tick);

static int profil_kprobe_probe(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_inc(&profil_probe_hits);
	return 0;
}

NOKPROBE_SYMBOL(profil_kprobe_probe);

static struct kprobe tick_kprobe, probe_kprobe;

static int profil_kprobe_start(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu)
		per_cpu(profil_late_tick, cpu).work =
			IRQ_WORK_INIT_HARD(profil_late_tick_work);

	/* A kprobe cannot be registered again as it was left. */
	tick_kprobe = (struct kprobe) {
		.symbol_name	= PROFIL_TICK_FUNCTION,
		.pre_handler	= profil_kprobe_tick,
	};
	probe_kprobe = (struct kprobe) {
		.symbol_name	= PROFIL_PROBE_FUNCTION,
		.pre_handler	= profil_kprobe_probe,
	};
	err = register_kprobe(&tick_kprobe);
	if (err)
		return err;
	err = register_kprobe(&probe_kprobe);
	if (err)
		unregister_kprobe(&tick_kprobe);
	return err;
}

static void profil_kprobe_stop(void)
{
	int cpu;

	unregister_kprobe(&tick_kprobe);
	unregister_kprobe(&probe_kprobe);
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(profil_late_tick, cpu).work);
}
#else
static int profil_kprobe_start(void) { return -EOPNOTSUPP; }
static void profil_kprobe_stop(void) { }
#endif

/* Module parameter tick_hook. */
static enum {
	PROFIL_HOOK_AUTO,
	PROFIL_HOOK_FTRACE,
	PROFIL_HOOK_KPROBE,
} tick_hook;

static const char * const hook_names[] = {
	[PROFIL_HOOK_AUTO]	= "auto",
	[PROFIL_HOOK_FTRACE]	= "ftrace",
	[PROFIL_HOOK_KPROBE]	= "kprobe",
};

static int profil_set_tick_hook(const char *value, const struct kernel_param *kp)
{
	int hook = sysfs_match_string(hook_names, value);

	if (hook < 0)
		return hook;
	tick_hook = hook;
	return 0;
}

static int profil_get_tick_hook(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", hook_names[tick_hook]);
}

static const struct kernel_param_ops tick_hook_ops = {
	.set	= profil_set_tick_hook,
	.get	= profil_get_tick_hook,
};

module_param_cb(tick_hook, &tick_hook_ops, NULL, 0444);
MODULE_PARM_DESC(tick_hook, "how to see the tick: auto, ftrace or kprobe (auto)");

/* How the hook in use is removed, while the clock is armed. */
static void (*profil_unhook)(void);

static int profil_tick_clock_start(void)
{
	int err = -EOPNOTSUPP;

	if (tick_hook != PROFIL_HOOK_KPROBE) {
		profil_unhook = profil_ftrace_stop;
		err = profil_ftrace_start();
	}
	if (err && tick_hook != PROFIL_HOOK_FTRACE) {
		profil_unhook = profil_kprobe_stop;
		err = profil_kprobe_start();
	}
	if (err)
		pr_err_ratelimited("cannot hook %s: error %d\n",
				   PROFIL_TICK_FUNCTION, err);
	return err;
}

static void profil_tick_clock_stop(void)
{
	profil_unhook();
}

/*
 * Is the hook of the armed clock called? Any context. Nobody spoils another's
 * look: hits are counted, and never taken back.
 */
bool profil_clock_tick_alive(void)
{
	int hits = atomic_read(&profil_probe_hits);

	profil_hook_probe();
	return atomic_read(&profil_probe_hits) != hits;
}

const struct profil_clock profil_clock_tick = {
	.start	= profil_tick_clock_start,
	.stop	= profil_tick_clock_stop,
};
