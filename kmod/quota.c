// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many profiles a user may have.
 *
 * A profile is charged when it is made and uncharged when it is freed, both in
 * process context. Users are known by the id that they have in the initial
 * user namespace; who is in another one is charged to the owner of the
 * outermost one around him, so that namespaces bring nobody more profiles.
 *
 * Layer: ground.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "quota.h"

static unsigned int max_profiles = 4096;
module_param(max_profiles, uint, 0644);
MODULE_PARM_DESC(max_profiles, "most profiles of one user (4096)");

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
struct profil_user *profil_quota_charge(void)
{
	struct profil_user *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	struct profil_user *user;

	if (!new)
		return ERR_PTR(-ENOMEM);
	new->uid = profil_user_id();
	spin_lock(&users_lock);
	user = profil_user_find(new->uid);
	if ((user ? user->profiles : 0) >= READ_ONCE(max_profiles)) {
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

/* One profile less for @user. */
void profil_quota_uncharge(struct profil_user *user)
{
	might_sleep();
	spin_lock(&users_lock);
	WARN_ON_ONCE(!user->profiles);
	if (--user->profiles)
		user = NULL;
	else
		hash_del(&user->node);
	spin_unlock(&users_lock);
	kfree(user);
}
