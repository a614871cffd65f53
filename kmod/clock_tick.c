// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick clock: update_process_times(), which the kernel calls once a tick
 * on each CPU, from the timer interrupt. The function has had this name,
 * signature and role since before 5.10. ftrace costs a third of what a kprobe
 * does; the kprobe serves kernels without dynamic ftrace.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/profil.h>
#include <asm/irq_regs.h>

#include "clock.h"
#include "compat.h"
#include "main.h"
#include "sample.h"

#define PROFIL_TICK_FUNCTION	"update_process_times"
#define PROFIL_TICK_RATES	(BIT(PROFIL_RATE_CLOCK) | BIT(PROFIL_RATE_TICK))

static __always_inline void profil_tick_hit(void)
{
	struct pt_regs *regs = get_irq_regs();

	if (likely(regs))
		profil_sample(regs, PROFIL_TICK_RATES);
}

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace profil_ftrace_hit(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *ops,
				      struct ftrace_regs *fregs)
{
	profil_tick_hit();
}

static struct ftrace_ops profil_ftrace = {
	.func	= profil_ftrace_hit,
	.flags	= PROFIL_FTRACE_NO_RECURSION,
};

static int profil_ftrace_start(void)
{
	int err = ftrace_set_filter(&profil_ftrace, PROFIL_TICK_FUNCTION,
				    strlen(PROFIL_TICK_FUNCTION), 1);

	return err ?: register_ftrace_function(&profil_ftrace);
}

static void profil_ftrace_stop(void)
{
	unregister_ftrace_function(&profil_ftrace);
}
#else
static int profil_ftrace_start(void) { return -EOPNOTSUPP; }
static void profil_ftrace_stop(void) { }
#endif

#ifdef CONFIG_KPROBES
static int profil_kprobe_hit(struct kprobe *kp, struct pt_regs *regs)
{
	profil_tick_hit();
	return 0;
}
NOKPROBE_SYMBOL(profil_kprobe_hit);

static struct kprobe profil_kprobe;

static int profil_kprobe_start(void)
{
	profil_kprobe = (struct kprobe) {
		.symbol_name	= PROFIL_TICK_FUNCTION,
		.pre_handler	= profil_kprobe_hit,
	};
	return register_kprobe(&profil_kprobe);
}

static void profil_kprobe_stop(void)
{
	unregister_kprobe(&profil_kprobe);
}
#else
static int profil_kprobe_start(void) { return -EOPNOTSUPP; }
static void profil_kprobe_stop(void) { }
#endif

/* The hook in use while the clock is armed. */
static void (*profil_tick_unhook)(void);

static int profil_tick_start(void)
{
	int err = -EOPNOTSUPP;

	if (profil_tick_hook != PROFIL_HOOK_KPROBE)
		err = profil_ftrace_start();
	if (!err) {
		profil_tick_unhook = profil_ftrace_stop;
		return 0;
	}
	if (profil_tick_hook != PROFIL_HOOK_FTRACE)
		err = profil_kprobe_start();
	if (!err)
		profil_tick_unhook = profil_kprobe_stop;
	else
		pr_err_ratelimited("cannot hook %s: error %d\n",
				   PROFIL_TICK_FUNCTION, err);
	return err;
}

static void profil_tick_stop(void)
{
	profil_tick_unhook();
}

const struct profil_clock profil_clock_tick = {
	.name	= "tick",
	.start	= profil_tick_start,
	.stop	= profil_tick_stop,
};
