// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick's hook by a kprobe, for kernels without dynamic ftrace.
 *
 * A kprobe by breakpoint, which is what it is without ftrace, comes as an NMI,
 * where no lock may be taken. What it has seen is charged in an interrupt of our
 * own right after the tick's, when the task and its registers are still the
 * same.
 *
 * Layer: source, on tick.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <asm/irq_regs.h>

#include "clock_use.h"
#include "compat.h"
#include "hook_kprobe.h"
#include "hook_probe.h"
#include "hook_tick.h"
#include "live.h"
#include "profile.h"
#include "sample.h"

struct profil_late_tick {
	struct irq_work		work;
	struct task_struct	*task;	/* to be compared only */
	bool			user;
};

static void profil_late_tick_work(struct irq_work *work)
{
	struct profil_late_tick *late = container_of(work, struct profil_late_tick, work);
	struct profil *p = current->mm ? profil_find_of(current->mm, current) : NULL;

	if (p && late->task == current)
		profil_tick(p, late->user, PROFIL_TICK_RATES);
}

static DEFINE_PER_CPU(struct profil_late_tick, profil_late_tick);

static void profil_tick_hit_by_nmi(void)
{
	struct profil_late_tick *late = this_cpu_ptr(&profil_late_tick);
	struct pt_regs *regs = get_irq_regs();
	struct profil *p = current->mm ? profil_find_of(current->mm, current) : NULL;

	/* As in profil_tick_hit(). */
	if (!p || !profil_is_live(p))
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

/*
 * Of a breakpoint that nothing comes after, the kernel makes a jump. To take that away
 * it waits with text_mutex held until each task that is preempted in the kernel has left
 * it, as long as who owns the task likes, and whoever patches code waits for that: also
 * a start that needs timers. A kprobe of ftrace's is no jump, but one that something
 * comes after may change the ip, and is refused where another may.
 */
#define PROFIL_KPROBE_MAY_BE_JUMP \
	(IS_ENABLED(CONFIG_OPTPROBES) && !IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))

static void profil_kprobe_after(struct kprobe *kp, struct pt_regs *regs,
				unsigned long flags)
{
}

NOKPROBE_SYMBOL(profil_kprobe_after);

static void profil_kprobe_set_up(struct kprobe *kp, const char *function,
				 kprobe_pre_handler_t handler)
{
	/* One cannot be registered again as it was left. */
	*kp = (struct kprobe) {
		.symbol_name	= function,
		.pre_handler	= handler,
		.post_handler	= PROFIL_KPROBE_MAY_BE_JUMP ? profil_kprobe_after : NULL,
	};
}

static struct kprobe tick_kprobe, probe_kprobe;

/* 0 or a negative errno; may sleep, and patches kernel code. */
int profil_kprobe_attach(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu)
		per_cpu(profil_late_tick, cpu).work =
			IRQ_WORK_INIT_HARD(profil_late_tick_work);

	profil_kprobe_set_up(&tick_kprobe, PROFIL_TICK_FUNCTION, profil_kprobe_tick);
	profil_kprobe_set_up(&probe_kprobe, PROFIL_PROBE_FUNCTION, profil_kprobe_probe);
	err = register_kprobe(&tick_kprobe);
	if (err)
		return err;
	err = register_kprobe(&probe_kprobe);
	if (err)
		unregister_kprobe(&tick_kprobe);
	return err;
}

/* When it returns, nobody is in a hook, and no tick is late; may sleep. */
void profil_kprobe_detach(void)
{
	int cpu;

	unregister_kprobe(&tick_kprobe);
	unregister_kprobe(&probe_kprobe);
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(profil_late_tick, cpu).work);
}
