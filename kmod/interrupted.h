/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The task that a tick has interrupted: its flags, its task work, and words of its memory.
 * compat.h includes this file, which is the same in the kernel's tree.
 */
#ifndef _PROFIL_INTERRUPTED_H
#define _PROFIL_INTERRUPTED_H

#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/uaccess.h>
#include <asm/futex.h>
#ifdef CONFIG_ARM64_MTE
#include <asm/cpufeature.h>
#include <asm/sysreg.h>
#endif

/*
 * arm64 compares tags of memory with tags of addresses. The module knows the process's
 * buffers by addresses without tags, so it switches the comparison off for its own
 * accesses; otherwise they would fail. No other code may run in between.
 */
static __always_inline void profil_tags_ignore(void)
{
#ifdef CONFIG_ARM64_MTE
	if (system_supports_mte())
		asm volatile(SET_PSTATE_TCO(1) : : : "memory");
#endif
}

static __always_inline void profil_tags_compare(void)
{
#ifdef CONFIG_ARM64_MTE
	if (system_supports_mte())
		asm volatile(SET_PSTATE_TCO(0) : : : "memory");
#endif
}

/* The flags of the task that the tick has interrupted. */
static __always_inline unsigned int profil_task_flags(void)
{
	/* Only the task itself changes the flags that callers test. */
	return data_race(current->flags);
}

/* Accesses to user memory in between do not sleep: they fail if the page is absent. */
static __always_inline void profil_faults_off(void)
{
	/* A tick that interrupts a change of the count restores the count. */
	data_race(({ pagefault_disable(); 0; }));
}

static __always_inline void profil_faults_on(void)
{
	/* As above. */
	data_race(({ pagefault_enable(); 0; }));
}

/*
 * task_work_add(), which mainline kernels do not export, for the current task, from its
 * tick, or for a task that this CPU switches to. This short form is enough for them. While
 * the task is interrupted or switched in, no other task takes entries. Only the task
 * itself closes the list, at its exit. No other CPU needs a notification.
 */
static __always_inline void profil_task_work_add(struct task_struct *t,
						 struct callback_head *work)
{
	struct callback_head *head = READ_ONCE(t->task_works);

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) &&
		     (in_nmi() || data_race(t->flags) & (PF_EXITING | PF_KTHREAD))); /* own */
	do {
		work->next = head;
	} while (!try_cmpxchg(&t->task_works, &head, work));
	set_tsk_thread_flag(t, TIF_NOTIFY_RESUME);
}

/*
 * Compare-and-swap on words of user memory: 8 bytes where the kernel can, otherwise 4, by
 * the futex primitive. Ticks call these functions with page faults disabled. They are for
 * aligned words that access_ok() accepts. Call them between profil_words_begin() and
 * profil_words_end(), and nothing else there. They return 0 or -EFAULT.
 * profil_word_cas() may also return -EAGAIN: nothing changed, and @old is the value found.
 */
#if PROFIL_WORD_BYTES == 8
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

	/* The futex primitive does the same itself. */
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

	/* -EAGAIN: load-linked/store-conditional gave up after some tries. */
	if (!err && found != *old)
		err = -EAGAIN;
	*old = found;
	return err;
}
#endif

#endif /* _PROFIL_INTERRUPTED_H */
