// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the administrator allows: how many profiles a user may have, and
 * profiling at all.
 *
 * A profile is charged when it is made and uncharged when it is freed, both in
 * process context. Users are known by the id that they have in the initial
 * user namespace; who is in another one is charged to the owner of the
 * outermost one around him, so that namespaces bring nobody more profiles.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include <linux/profil.h>

#include "limit.h"
#include "live.h"
#include "main.h"
#include "profile.h"

/**
 * struct profil_user - a user who has profiles.
 * @node:     in the hash of users.
 * @uid:      in the initial user namespace.
 * @profiles: how many; never 0.
 */
struct profil_user {
	struct hlist_node	node;
	kuid_t			uid;
	unsigned int		profiles;
};

static DEFINE_HASHTABLE(users, 6);
static DEFINE_SPINLOCK(users_lock);

/* What a fork child's mapping shows that may not have a profile. */
static struct page *denied_page;

static kuid_t profil_user_id(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

static struct profil_user *profil_user_find(kuid_t uid)
{
	struct profil_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/*
 * One profile more for the current user: whom to uncharge, or an error pointer:
 * EDQUOT, ENOMEM.
 */
struct profil_user *profil_limit_charge(void)
{
	struct profil_user *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	struct profil_user *user;

	if (!new)
		return ERR_PTR(-ENOMEM);
	new->uid = profil_user_id();
	spin_lock(&users_lock);
	user = profil_user_find(new->uid);
	if ((user ? user->profiles : 0) >= READ_ONCE(profil_max_profiles)) {
		user = ERR_PTR(-EDQUOT);
		goto unlock;
	}
	if (!user) {
		swap(user, new);
		hash_add(users, &user->node, __kuid_val(user->uid));
	}
	user->profiles++;
unlock:
	spin_unlock(&users_lock);
	kfree(new);
	return user;
}

void profil_limit_uncharge(struct profil_user *user)
{
	spin_lock(&users_lock);
	if (--user->profiles)
		user = NULL;
	else
		hash_del(&user->node);
	spin_unlock(&users_lock);
	kfree(user);
}

/* May anybody be profiled? 0 or -EPERM. */
int profil_limit_check(void)
{
	return READ_ONCE(profil_enabled) ? 0 : -EPERM;
}

static void profil_deny(struct profil *p)
{
	raw_spin_lock_irq(&p->lock);
	if (p->run)
		profil_unpublish(p, p->run, PROFIL_STATE_DENIED);
	raw_spin_unlock_irq(&p->lock);
}

/* For who has made @p live: profiling may have been switched off meanwhile. */
void profil_limit_recheck(struct profil *p)
{
	/* Pairs with profil_limit_stop_all(): it sees @p, or we see why. */
	smp_mb();
	if (profil_limit_check())
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
void profil_limit_stop_all(void)
{
	struct profil *p;
	unsigned int i;

	might_sleep();
	/* Pairs with profil_limit_recheck(). */
	smp_mb();
	for (i = 0; i < ARRAY_SIZE(profil_profiles); i++) {
		while ((p = profil_find_live(&profil_profiles[i]))) {
			profil_deny(p);
			profil_put(p);
		}
		cond_resched();
	}
}

struct page *profil_limit_page(void)
{
	return denied_page;
}

int profil_limit_init(void)
{
	struct profil_status *status;

	denied_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!denied_page)
		return -ENOMEM;
	status = page_address(denied_page);
	status->size = sizeof(*status);
	status->state = PROFIL_STATE_DENIED;
	return 0;
}

/* Every mapping held the module. */
void profil_limit_exit(void)
{
	__free_page(denied_page);
}
