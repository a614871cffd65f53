// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook of the tick: update_process_times(), which the kernel calls once a tick
 * on each CPU, from the timer interrupt. The function has had this name, signature
 * and role since before 5.10. ftrace hooks it from load to unload.
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "tick/tick.h"

#ifdef CONFIG_DYNAMIC_FTRACE

static void notrace tick_seen(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	profil_hook_hit();
}

/* Permanent: while it is attached, the administrator cannot switch ftrace off. */
static struct ftrace_ops hook_ops = {
	.func	= tick_seen,
	.flags	= PROFIL_FTRACE_NO_RECURSION | FTRACE_OPS_FL_PERMANENT,
};

/* Set an empty filter, as ftrace does not free the filter of unregistered ops. */
static void forget_filter(void)
{
	ftrace_set_filter(&hook_ops, NULL, 0, 1);
}

/* Patches kernel text. 0; -EBUSY: ftrace is switched off; or another error. */
int __init profil_hook_attach(void)
{
	static char function[] __initdata = "update_process_times";
	int err = ftrace_set_filter(&hook_ops, function, strlen(function), 1);

	if (!err)
		err = register_ftrace_function(&hook_ops);
	if (err)
		forget_filter();
	return err;
}

/*
 * The hook sees no tick after this. The call holds ftrace's lock while it waits for
 * each task that was preempted in the kernel. Only root can cause that, by unloading
 * the module.
 */
void profil_hook_detach(void)
{
	might_sleep();
	/* Fails only if ftrace has broken down, which ftrace logs. */
	WARN_ON_ONCE(unregister_ftrace_function(&hook_ops));
	forget_filter();
}

#else

int __init profil_hook_attach(void)
{
	return -EOPNOTSUPP;
}

void profil_hook_detach(void)
{
}

#endif
