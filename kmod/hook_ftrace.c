// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick's hook by ftrace, which costs a third of what a kprobe does.
 *
 * Layer: source, on tick.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/ftrace.h>
#include <linux/string.h>

#include "compat.h"
#include "hook_ftrace.h"
#include "hook_probe.h"
#include "hook_tick.h"

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

/* 0 or a negative errno; may sleep, and patches kernel code. */
int profil_ftrace_attach(void)
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

/* When it returns, nobody is in a hook; may sleep. */
void profil_ftrace_detach(void)
{
	profil_ftrace_unhook(&tick_ops);
	profil_ftrace_unhook(&probe_ops);
}
