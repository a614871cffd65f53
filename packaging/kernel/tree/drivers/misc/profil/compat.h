/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel has not in this form.
 */
#ifndef _PROFIL_COMPAT_H
#define _PROFIL_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/uaccess.h>
#include <asm/futex.h>

#include "memory_tags.h"

/* Of a page that is charged to the process, and mapped by it. */
#define PROFIL_GFP_MAPPED	GFP_KERNEL_ACCOUNT

/* The flags of the task that the tick has interrupted. */
static __always_inline unsigned int profil_task_flags(void)
{
	/* Only the task itself changes those that are asked for. */
	return data_race(current->flags);
}

/* vm_operations_struct's mremap()'s. */
#define PROFIL_VM_MREMAP_ARGS	struct vm_area_struct *vma

/* The sched_switch tracepoint's. */
#define PROFIL_SWITCH_PROBE_ARGS					\
	void *data, bool preempt, struct task_struct *prev,		\
	struct task_struct *next, unsigned int prev_state

/*
 * task_work_add() to the current task, from its tick, which is not exported. For
 * the task itself it is no more than this: nobody takes entries from under it
 * while it is interrupted, only the task itself closes the list, at its exit, and
 * nobody else has to be told.
 */
static __always_inline void profil_task_work_add(struct callback_head *work)
{
	struct callback_head *head = READ_ONCE(current->task_works);

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) &&
		     (in_nmi() || profil_task_flags() & (PF_EXITING | PF_KTHREAD)));
	do {
		work->next = head;
	} while (!try_cmpxchg(&current->task_works, &head, work));
	set_tsk_thread_flag(current, TIF_NOTIFY_RESUME);
}

/* hrtimers get their function when they are set up; 6.13 has this itself. */
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}

/*
 * Compare-and-swap on 8 bytes of user memory, which x86 has; what all have is
 * the futexes' primitive, for 4 bytes. Accesses are made with page faults
 * disabled, to aligned words that access_ok() accepts, between
 * profil_words_begin() and profil_words_end(), where nothing else may be called.
 * They return 0 or -EFAULT; profil_word_cas() also -EAGAIN: nothing changed,
 * and @old is what was found.
 */
#ifdef unsafe_try_cmpxchg_user
typedef u64 profil_word;

static __always_inline bool profil_words_begin(const profil_word __user *word)
{
	return user_access_begin(word, sizeof(*word));
}

static __always_inline void profil_words_end(void)
{
	user_access_end();
}

static __always_inline int profil_word_load(profil_word *value,
					    const profil_word __user *word)
{
	unsafe_get_user(*value, word, fault);
	return 0;
fault:
	return -EFAULT;
}

static __always_inline int profil_word_cas(profil_word __user *word,
					   profil_word *old, profil_word new)
{
	return unsafe_try_cmpxchg_user(word, old, new, fault) ? 0 : -EAGAIN;
fault:
	return -EFAULT;
}
#else
typedef u32 profil_word;

static inline bool profil_words_begin(const profil_word __user *word)
{
	return true;
}

static inline void profil_words_end(void)
{
}

static __always_inline int profil_word_load(profil_word *value,
					    const profil_word __user *word)
{
	int err;

	/* To swap it, futexes' primitive does the same. */
	profil_tags_ignore();
	err = __get_user(*value, word);
	profil_tags_compare();
	return err;
}

static __always_inline int profil_word_cas(profil_word __user *word,
					   profil_word *old, profil_word new)
{
	u32 found = *old;
	int err = futex_atomic_cmpxchg_inatomic(&found, word, *old, new);

	/* Load-linked/store-conditional gives up after some tries: -EAGAIN. */
	if (!err && found != *old)
		err = -EAGAIN;
	*old = found;
	return err;
}
#endif

#endif /* _PROFIL_COMPAT_H */
