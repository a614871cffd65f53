// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick as a source: update_process_times(), which the kernel calls once a
 * tick on each CPU, from the timer interrupt. The function has had this name,
 * signature and role since before 5.10. It is hooked by ftrace or by a kprobe.
 *
 * Layer: source, on tick.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "hook.h"
#include "hook_ftrace.h"
#include "hook_kprobe.h"
#include "hook_tick.h"

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

/* How the hook that is set is removed; NULL: none is. */
static void (*hook_detach)(void);

/* Set it, where none is set. 0; -ENOMEM; -EOPNOTSUPP: the kernel cannot. */
int profil_hook_attach(void)
{
	int err = -EOPNOTSUPP, other;

	might_sleep();
	if (WARN_ON_ONCE(hook_detach))
		return -EBUSY;
	if (tick_hook != PROFIL_HOOK_KPROBE) {
		hook_detach = profil_ftrace_detach;
		err = profil_ftrace_attach();
	}
	if (err && tick_hook != PROFIL_HOOK_FTRACE) {
		hook_detach = profil_kprobe_detach;
		other = profil_kprobe_attach();
		/* Where there are no kprobes, it is what ftrace has failed by. */
		if (other != -EOPNOTSUPP)
			err = other;
	}
	if (err)
		hook_detach = NULL;
	if (err && err != -EOPNOTSUPP)
		pr_err_once("cannot hook %s: error %d\n", PROFIL_TICK_FUNCTION, err);
	/* Kprobes refuse a function of ftrace's where they cannot use that (riscv64). */
	return err && err != -ENOMEM ? -EOPNOTSUPP : err;
}

/* Remove the one that is set. When it returns, no tick is seen any more; that may take long. */
void profil_hook_detach(void)
{
	might_sleep();
	if (WARN_ON_ONCE(!hook_detach))
		return;
	hook_detach();
	hook_detach = NULL;
}
