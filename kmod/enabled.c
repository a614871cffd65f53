// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the administrator lets anybody be profiled.
 *
 * That is asked where a run starts, not in each tick: to switch profiling off
 * stops whatever is live, and who goes live at that moment looks again.
 *
 * Layer: lifetime, on deferral.
 */
#include <linux/kref.h>
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/profil.h>

#include "enabled.h"
#include "live.h"
#include "profile.h"

static bool enabled = true;

/* May anybody be profiled? 0 or -EPERM. */
int profil_enabled_check(void)
{
	return READ_ONCE(enabled) ? 0 : -EPERM;
}

static void profil_deny(struct profil *p)
{
	raw_spin_lock_irq(&p->lock);
	if (p->run)
		profil_unpublish(p, p->run, PROFIL_STATE_DENIED);
	raw_spin_unlock_irq(&p->lock);
}

/* For who has made @p live: profiling may have been switched off meanwhile. */
void profil_enabled_recheck(struct profil *p)
{
	/* Pairs with profil_stop_all(): it sees @p, or we see why. */
	smp_mb();
	if (profil_enabled_check())
		profil_deny(p);
}

static struct profil *profil_find_live(struct hlist_head *chain)
{
	struct profil *p;

	rcu_read_lock();
	hlist_for_each_entry_rcu(p, chain, node)
		if (READ_ONCE(p->live) && kref_get_unless_zero(&p->ref))
			break;
	rcu_read_unlock();
	return p;
}

/*
 * Stop every profile that runs, after profiling has been switched off. When
 * this returns none is live, and none will be until it is switched on.
 */
static void profil_stop_all(void)
{
	struct profil *p;
	unsigned int i;

	might_sleep();
	/* Pairs with profil_enabled_recheck(). */
	smp_mb();
	for (i = 0; i < ARRAY_SIZE(profil_profiles); i++) {
		while ((p = profil_find_live(&profil_profiles[i]))) {
			profil_deny(p);
			profil_put(p);
		}
		cond_resched();
	}
}

static int profil_set_enabled(const char *value, const struct kernel_param *kp)
{
	int err = param_set_bool(value, kp);

	if (!err && !enabled)
		profil_stop_all();
	return err;
}

static const struct kernel_param_ops enabled_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= profil_set_enabled,
	.get	= param_get_bool,
};

module_param_cb(enabled, &enabled_ops, &enabled, 0644);
MODULE_PARM_DESC(enabled, "N stops every profile and refuses new ones with EPERM (Y)");
