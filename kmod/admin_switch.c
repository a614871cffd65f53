// SPDX-License-Identifier: GPL-2.0-only
/*
 * The administrator's switch, the parameter "enabled".
 *
 * A start checks the switch; ticks do not. Switching profiling off stops every live
 * profile. A start checks again after its profile has gone live, so none is missed.
 */
#include <linux/moduleparam.h>

#include "profile.h"

static bool enabled = true;

/* 0; -EPERM: profiling is switched off. */
int profil_admin_switch_check(void)
{
	return READ_ONCE(enabled) ? 0 : -EPERM;
}

/* @p may be closed: then profil_unpublish() finds its run not live, and does nothing. */
static void deny(struct profil *p)
{
	raw_spin_lock_irq(&p->lock);
	if (p->run)
		profil_unpublish(p, p->run, PROFIL_STATE_DENIED);
	raw_spin_unlock_irq(&p->lock);
}

static void deny_all(const struct profil_process *process)
{
	struct profil *p = rcu_dereference(process->profil);

	if (p)
		deny(p);
	hlist_for_each_entry_rcu(p, &process->threads, sibling)
		deny(p);
}

/* Check again, as @p has just gone live. */
void profil_admin_switch_recheck(struct profil *p)
{
	/* Pairs with stop_all(): either it sees @p, or this sees the switch. */
	smp_mb();
	if (profil_admin_switch_check())
		deny(p);
}

/*
 * Stop every live profile, after profiling has been switched off. No profile goes
 * live afterwards until it is switched on.
 */
static void stop_all(void)
{
	struct profil_process *process;
	unsigned int i;

	might_sleep();
	/* Pairs with profil_admin_switch_recheck(). */
	smp_mb();
	for (i = 0; i < ARRAY_SIZE(profil_processes); i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(process, &profil_processes[i], node)
			deny_all(process);
		rcu_read_unlock();
		cond_resched();
	}
}

static int set_enabled(const char *value, const struct kernel_param *kp)
{
	int err = param_set_bool(value, kp);

	if (!err && !enabled)
		stop_all();
	return err;
}

static const struct kernel_param_ops enabled_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= set_enabled,
	.get	= param_get_bool,
};

module_param_cb(enabled, &enabled_ops, &enabled, 0644);
MODULE_PARM_DESC(enabled, "N stops all profiles and refuses new ones with EPERM (default Y)");
