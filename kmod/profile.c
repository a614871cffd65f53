// SPDX-License-Identifier: GPL-2.0-only
/*
 * struct profil: the hash, references, the limit of each user, and the run that
 * ticks see.
 *
 * The tick finds a profile in the hash under RCU (interrupts are off), enters it
 * by naming it in profil_inflight, and only then reads the live run. Code that
 * takes the run away from the tick changes the profile first and then waits until
 * no CPU names it. That takes microseconds; a grace period takes milliseconds.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>

#include "profile.h"
#include "stack/shared_rules.h"
#include "stack/stack.h"

static unsigned int max_profiles = 4096;
module_param(max_profiles, uint, 0644);
MODULE_PARM_DESC(max_profiles, "most profiles of a user without CAP_SYS_RESOURCE (default 4096)");

/**
 * struct profil_user - a user with profiles.
 * @node:      in the hash of users.
 * @uid:       in the initial user namespace.
 * @container: the place of the namespace that root has made, plus 1; 0: the user is in none.
 * @profiles:  number of profiles.
 * @ended:     number of further profiles, which wait for the readers of the hash.
 * @rules:     shared by the processes; NULL: none yet.
 */
struct profil_user {
	struct hlist_node	node;
	kuid_t			uid;
	unsigned int		container;
	unsigned int		profiles;
	unsigned int		ended;
	struct profil_shared_rules *rules;
};

/* All users of one of root's namespaces, and of all of them, have so many limits. */
#define CONTAINER_LIMITS	2
#define CONTAINED_LIMITS	4
/* Namespaces whose numbers are equal modulo this share a place. */
#define CONTAINERS		256

/* At so many ended profiles, the user's next one waits until one of them is freed. */
#define ENDED_MAX		512
static DECLARE_WAIT_QUEUE_HEAD(ended_wait);

static DEFINE_HASHTABLE(users, 6);
/* Of each place. 0: of all of them. */
static unsigned int contained_profiles[CONTAINERS + 1];
static DEFINE_RAW_SPINLOCK(users_lock);

/*
 * A process in a user namespace is charged to the owner of the outermost namespace
 * around it, so namespaces give no user more profiles. In a namespace that root has made
 * it is charged to its id there, or to the owner of the namespace within that one, and
 * also to that namespace and to all such namespaces.
 */
static void set_current_user(struct profil_user *user)
{
	const struct user_namespace *ns = current_user_ns();

	user->uid = current_uid();
	for (; ns != &init_user_ns; ns = ns->parent) {
		if (ns->parent == &init_user_ns && uid_eq(ns->owner, GLOBAL_ROOT_UID))
			user->container = ns->ns.inum % CONTAINERS + 1;
		else
			user->uid = ns->owner;
	}
}

static struct profil_user *user_like(const struct profil_user *like)
{
	struct profil_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, node, __kuid_val(like->uid))
		if (uid_eq(user->uid, like->uid) && user->container == like->container)
			return user;
	return NULL;
}

static bool is_at_limit(const struct profil_user *user)
{
	u64 max = READ_ONCE(max_profiles);

	lockdep_assert_held(&users_lock);
	if (user->profiles >= max)
		return true;
	return user->container &&
	       (contained_profiles[user->container] >= CONTAINER_LIMITS * max ||
		contained_profiles[0] >= CONTAINED_LIMITS * max);
}

/* One profile more, or with -1 one less. */
static void add_profile(struct profil_user *user, int n)
{
	lockdep_assert_held(&users_lock);
	user->profiles += n;
	if (user->container) {
		contained_profiles[user->container] += n;
		contained_profiles[0] += n;
	}
}

/* Charge the user like @new, or @new itself. NULL: too many profiles have ended. */
static bool try_charge(struct profil_user **new, bool limited, struct profil_user **charged)
{
	struct profil_user *user;

	raw_spin_lock_irq(&users_lock);
	user = user_like(*new);
	if (limited && is_at_limit(user ?: *new)) {
		user = ERR_PTR(-EDQUOT);
		goto unlock;
	}
	if (limited && user && user->ended >= ENDED_MAX) {
		user = NULL;
		goto unlock;
	}
	if (!user) {
		swap(user, *new);
		hash_add(users, &user->node, __kuid_val(user->uid));
	}
	add_profile(user, 1);
unlock:
	raw_spin_unlock_irq(&users_lock);
	*charged = user;
	return user;
}

/*
 * Charge the current user with one more profile. Returns the user to uncharge when
 * it is freed, or an error pointer: EDQUOT, ENOMEM, EINTR. Like other limits of
 * resources, this one does not apply to the host's root.
 */
static struct profil_user *charge_user(void)
{
	struct profil_user *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	/* Not under the lock: security modules take locks that may sleep on PREEMPT_RT. */
	bool limited = !ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
	struct profil_user *user;

	BUILD_BUG_ON(sizeof(*new) > 40);
	BUILD_BUG_ON(sizeof(users) + sizeof(contained_profiles) > 2048);
	if (!new)
		return ERR_PTR(-ENOMEM);
	set_current_user(new);
	if (wait_event_killable(ended_wait, try_charge(&new, limited, &user)))
		user = ERR_PTR(-EINTR);
	kfree(new);
	return user;
}

struct profil_shared_rules **profil_shared_rules_of(struct profil *p)
{
	return &p->user->rules;
}

/* After a grace period, in any context. */
static void free_ended(struct rcu_head *rcu)
{
	struct profil *p = container_of(rcu, struct profil, rcu);
	struct profil_user *user = p->user;
	unsigned long flags;
	bool wake, last;

	raw_spin_lock_irqsave(&users_lock, flags);
	wake = user->ended-- == ENDED_MAX;
	last = !user->ended && !user->profiles;
	if (last)
		hash_del(&user->node);
	raw_spin_unlock_irqrestore(&users_lock, flags);
	if (wake)
		wake_up_all(&ended_wait);
	if (last) {
		if (PROFIL_HAS_STACKS)
			profil_shared_rules_free(user->rules);
		kfree(user);
	}
	kfree(p);
}

/* Uncharge the user of @p, and free both when no reader of the hash uses @p. */
static void uncharge_and_free(struct profil *p)
{
	might_sleep();
	raw_spin_lock_irq(&users_lock);
	WARN_ON_ONCE(!p->user->profiles);
	add_profile(p->user, -1);
	p->user->ended++;
	raw_spin_unlock_irq(&users_lock);
	call_rcu_hurry(&p->rcu, free_ended);
}

struct hlist_head profil_processes[1 << PROFIL_HASH_BITS];
static DEFINE_RAW_SPINLOCK(processes_lock);

static struct profil *own_of_process(const struct profil_process *process)
{
	return rcu_dereference_check(process->profil, rcu_read_lock_any_held());
}

static struct profil *own_of_thread(const struct profil_process *process,
				    const struct task_struct *t)
{
	struct profil *p;

	hlist_for_each_entry_rcu(p, &process->threads, sibling)
		if (p->thread == READ_ONCE(t->thread_pid))
			return p;
	return NULL;
}

/*
 * profil_find_of() in a process whose threads have profiles. A thread's profile takes
 * its ticks from the start to the stop: while it has a run or a next run. It keeps its
 * run after it has ended by itself. Only the thread itself can start the next run.
 */
struct profil *profil_find_task(const struct profil_process *process,
				const struct task_struct *t)
{
	struct profil *p = own_of_thread(process, t);

	if (p && (READ_ONCE(p->run) || READ_ONCE(p->next)))
		return p;
	return own_of_process(process);
}

/* The profile of the caller's process, or if @own of the calling thread, under RCU. */
static struct profil *find_callers(bool own)
{
	const struct profil_process *process = profil_find(current->mm);

	if (!process)
		return NULL;
	return own ? own_of_thread(process, current) : own_of_process(process);
}

/* The same, with a reference. */
struct profil *profil_get(bool own)
{
	struct profil *p;

	rcu_read_lock();
	p = find_callers(own);
	if (p && !kref_get_unless_zero(&p->ref))
		p = NULL;
	rcu_read_unlock();
	return p;
}

/* May the caller create this profile? 0; -EBUSY: it exists; -EDQUOT. */
int profil_may_create(bool own)
{
	const struct profil_process *process;
	int err = 0;

	rcu_read_lock();
	process = profil_find(current->mm);
	if (find_callers(own))
		err = -EBUSY;
	else if (own && process && READ_ONCE(process->nthreads) >= PROFIL_THREADS_MAX)
		err = -EDQUOT;
	rcu_read_unlock();
	return err;
}

/* Take a reference on the profiles of @mm; NULL: no memory. */
static struct profil_process *process_get(struct mm_struct *mm)
{
	struct profil_process *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	struct profil_process *process;

	BUILD_BUG_ON(sizeof(*new) > 64);
	BUILD_BUG_ON(sizeof(profil_processes) > 32768);
	if (!new)
		return NULL;
	new->mm = mm;
	raw_spin_lock(&processes_lock);
	rcu_read_lock();
	process = profil_find(mm);
	rcu_read_unlock();
	if (!process) {
		swap(process, new);
		mmgrab(mm);
		hlist_add_head_rcu(&process->node,
				   &profil_processes[hash_ptr(mm, PROFIL_HASH_BITS)]);
	}
	process->users++;
	raw_spin_unlock(&processes_lock);
	kfree(new);
	return process;
}

static void process_put(struct profil_process *process)
{
	raw_spin_lock(&processes_lock);
	if (--process->users)
		process = NULL;
	else
		hlist_del_rcu(&process->node);
	raw_spin_unlock(&processes_lock);
	if (process) {
		WARN_ON_ONCE(rcu_access_pointer(process->profil) || process->nthreads);
		mmdrop(process->mm);
		kfree_rcu(process, rcu);
	}
}

/* See struct profil_pools. */
static struct kmem_cache *pools;

static void construct_pools(void *new)
{
	memset(new, 0, sizeof(struct profil_pools));
}

int profil_alloc_init(void)
{
	pools = kmem_cache_create("profil_pools", sizeof(struct profil_pools), 0, 0,
				  construct_pools);
	return pools ? 0 : -ENOMEM;
}

/* After the last profile is freed. */
void profil_alloc_exit(void)
{
	kmem_cache_destroy(pools);
}

/* @p may be incomplete. */
static void free_profile(struct profil *p)
{
	WARN_ON_ONCE(p->deferred.n);
	if (p->pools)
		kmem_cache_free(pools, p->pools);
	if (p->page)
		__free_page(p->page);
	if (p->process)
		process_put(p->process);
	uncharge_and_free(p);
}

/* The last reference is dropped. */
void profil_release(struct kref *ref)
{
	struct profil *p = container_of(ref, struct profil, ref);

	/* A callback or a call may outlive the mapping, but then the run is not live. */
	WARN_ON_ONCE(p->live || p->next || p->applier);
	profil_run_put(p->run);
	if (PROFIL_HAS_STACKS)
		profil_stack_free(p);
	put_pid(p->thread);
	free_profile(p);
	/* Pairs with synchronize_rcu_tasks() in profil_exit(). */
	module_put(THIS_MODULE);
}

/*
 * A profile for @mm, with its page at @addr, charged to the current user and not in
 * the hash. The caller owns the reference. Error pointers: EDQUOT, ENOMEM, EINTR.
 */
struct profil *profil_alloc(struct mm_struct *mm, unsigned long addr)
{
	struct profil *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	struct profil_user *user;

	/* docs/security.md states the memory of a profile. */
	BUILD_BUG_ON(!IS_ENABLED(CONFIG_DEBUG_SPINLOCK) && sizeof(*p) > 256);
	BUILD_BUG_ON(sizeof(*p->pools) > 10 * 1024);
	if (!p)
		return ERR_PTR(-ENOMEM);
	user = charge_user();
	if (IS_ERR(user)) {
		kfree(p);
		return ERR_CAST(user);
	}
	p->user = user;
	p->page = alloc_page(PROFIL_GFP_MAPPED | __GFP_ZERO);
	p->pools = kmem_cache_alloc(pools, GFP_KERNEL_ACCOUNT);
	if (p->page && p->pools)
		p->process = process_get(mm);
	if (!p->process) {
		free_profile(p);
		return ERR_PTR(-ENOMEM);
	}
	p->mm = mm;
	p->addr = addr;
	p->status = page_address(p->page);
	p->status->size = sizeof(*p->status);
	kref_init(&p->ref);
	mutex_init(&p->control);
	raw_spin_lock_init(&p->lock);
	profil_clock_choose(&p->choice);
	/* The caller's file holds the module now. */
	__module_get(THIS_MODULE);
	return p;
}

/* Add @p to the hash. */
void profil_hash(struct profil *p)
{
	struct profil_process *process = p->process;

	raw_spin_lock(&processes_lock);
	if (p->thread) {
		/* Ticks of the process walk them all. */
		WARN_ON_ONCE(++process->nthreads > PROFIL_THREADS_MAX);
		hlist_add_head_rcu(&p->sibling, &process->threads);
	} else {
		WARN_ON_ONCE(rcu_access_pointer(process->profil));
		rcu_assign_pointer(process->profil, p);
	}
	raw_spin_unlock(&processes_lock);
}

/* Remove @p from the hash. Code that found it before may still use it, under RCU. */
void profil_unhash(struct profil *p)
{
	struct profil_process *process = p->process;

	raw_spin_lock(&processes_lock);
	if (p->thread) {
		process->nthreads--;
		hlist_del_rcu(&p->sibling);
	} else {
		RCU_INIT_POINTER(process->profil, NULL);
	}
	raw_spin_unlock(&processes_lock);
}

/* Goes to stage @to, which may follow certain stages only. */
void profil_set_stage(struct profil *p, enum profil_stage to)
{
	static const u8 from[] = {
		[PROFIL_STOPPED]	= BIT(PROFIL_STOPPING),
		[PROFIL_LIVE]		= BIT(PROFIL_STOPPED),
		[PROFIL_STOPPING]	= BIT(PROFIL_LIVE),
		[PROFIL_CLOSED]		= BIT(PROFIL_STOPPED) | BIT(PROFIL_LIVE) |
					  BIT(PROFIL_STOPPING),
	};

	lockdep_assert_held(&p->lock);
	WARN_ON_ONCE(!(from[to] & BIT(p->stage)));
	p->stage = to;
}

/* The status page shows @run, running, with all counts 0. */
void profil_status_reset(struct profil *p, const struct profil_run *run)
{
	*p->status = (struct profil_status) {
		.size		= sizeof(*p->status),
		.mode		= run->mode,
		.state		= PROFIL_STATE_ON,
		.rate		= run->rate,
		.flags		= run->flags,
		.tag		= run->tag,
		.period_ns	= profil_clock_period(run->rate),
		.nsamples	= profil_run_nsamples(run),
	};
}

DEFINE_PER_CPU(struct profil *, profil_inflight);

/* From now on, ticks are charged to @run. */
void profil_publish(struct profil *p, struct profil_run *run)
{
	lockdep_assert_held(&p->lock);
	WARN_ON_ONCE(p->stage != PROFIL_LIVE || p->live);
	profil_clock_add(run->rate, run->flags, 1);
	/* Pairs with the address dependency on READ_ONCE() in profil_enter(). */
	smp_store_release(&p->live, run);
}

/*
 * Charge no more ticks to @run. Of several callers, only one gets true. Takes no lock,
 * so ticks may call it. profil_drain() waits for ticks that have entered.
 */
bool profil_unpublish(struct profil *p, struct profil_run *run, u32 state)
{
	if (cmpxchg(&p->live, run, NULL) != run)
		return false;
	WRITE_ONCE(p->status->state, state);
	profil_clock_add(run->rate, run->flags, -1);
	if (profil_stack_has_waits(run))
		profil_waits_end(p);
	return true;
}

/*
 * Wait for all ticks that entered @p before the call, and may still see its old state.
 * Such a tick may take @p->lock.
 */
void profil_drain(struct profil *p)
{
	int cpu;

	/* Holding the lock would deadlock. */
	lockdep_assert_not_held(&p->lock);
	lockdep_assert_irqs_enabled();
	/* Pairs with profil_enter(). */
	smp_mb();
	for_each_possible_cpu(cpu) {
		/* Pairs with profil_leave(). */
		while (smp_load_acquire(per_cpu_ptr(&profil_inflight, cpu)) == p)
			cpu_relax();
	}
}
