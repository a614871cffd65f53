// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the kernel complain in the way that the parameter names, for the tests
 * of the guest runner: each of these must fail a run.
 */
#include <linux/debug_locks.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *what = "nothing";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "the trouble to make");

static int __rcu *shared;

static void trouble_warn(void)
{
	WARN(1, "trouble was asked for\n");
}

static void trouble_oops(void)
{
	*(volatile int *)8 = 0;
}

/* Keeps the other module's device open, so that it cannot be unloaded. */
static void trouble_busy(void)
{
	filp_open("/dev/profil", O_RDONLY, 0);
}

static void trouble_leak(void)
{
	int i;

	for (i = 0; i < 10; i++)
		memset(kmalloc(4000, GFP_KERNEL), i, 4000);
}

/* A to B, then B to A. */
static void trouble_deadlock(void)
{
	static DEFINE_MUTEX(a);
	static DEFINE_MUTEX(b);

	mutex_lock(&a);
	mutex_lock(&b);
	mutex_unlock(&b);
	mutex_unlock(&a);
	mutex_lock(&b);
	mutex_lock(&a);
	mutex_unlock(&a);
	mutex_unlock(&b);
}

/* With PREEMPT_RT, the inner one sleeps. */
static void trouble_nesting(void)
{
	static DEFINE_RAW_SPINLOCK(outer);
	static DEFINE_SPINLOCK(inner);

	raw_spin_lock(&outer);
	spin_lock(&inner);
	spin_unlock(&inner);
	raw_spin_unlock(&outer);
}

/* Nobody sees any trouble with locks after that. */
static void trouble_unseen(void)
{
	debug_locks_off();
}

static void trouble_sleep(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void trouble_rcu(void)
{
	if (rcu_dereference(shared))
		pr_info("not empty\n");
}

static void trouble_use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);
	volatile char *gone = p;

	kfree(p);
	*gone = 1;
}

static int distance = 77;
module_param(distance, int, 0444);
MODULE_PARM_DESC(distance, "how far to shift an int");

static void trouble_shift(void)
{
	pr_info("shifted: %d\n", 1 << distance);
}

/* One CPU is lost for good. */
static void trouble_spin(void)
{
	local_irq_disable();
	for (;;)
		cpu_relax();
}

/* No two of these may count without a lock. */
static int trouble_race_counter;

static int trouble_race_thread(void *unused)
{
	while (!kthread_should_stop()) {
		trouble_race_counter++;
		cond_resched();
	}
	return 0;
}

static void trouble_race(void)
{
	struct task_struct *one, *other;

	one = kthread_run(trouble_race_thread, NULL, "race/1");
	other = kthread_run(trouble_race_thread, NULL, "race/2");
	msleep(5000);
	if (!IS_ERR(one))
		kthread_stop(one);
	if (!IS_ERR(other))
		kthread_stop(other);
}

static const struct {
	const char *name;
	void (*make)(void);
} troubles[] = {
	{ "warn", trouble_warn }, { "oops", trouble_oops },
	{ "busy", trouble_busy }, { "leak", trouble_leak },
	{ "deadlock", trouble_deadlock }, { "nesting", trouble_nesting },
	{ "unseen", trouble_unseen }, { "sleep", trouble_sleep },
	{ "rcu", trouble_rcu }, { "use-after-free", trouble_use_after_free },
	{ "shift", trouble_shift }, { "spin", trouble_spin },
	{ "race", trouble_race },
};

static int __init trouble_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(troubles); i++) {
		if (!strcmp(what, troubles[i].name)) {
			troubles[i].make();
			return 0;
		}
	}
	return -EINVAL;
}

static void __exit trouble_exit(void) { }

module_init(trouble_init);
module_exit(trouble_exit);
MODULE_DESCRIPTION("Trouble for the tests of the guest runner");
MODULE_LICENSE("GPL");
