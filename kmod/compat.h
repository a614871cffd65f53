/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between the supported kernels, 5.10 to 7.2. The rest of the
 * module is written against the newest interface.
 */
#ifndef _PROFIL_COMPAT_H
#define _PROFIL_COMPAT_H

#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "profil.ko needs Linux 5.10 or later"
#endif
#ifndef CONFIG_64BIT
#error "profil.ko needs a 64-bit kernel"
#endif
#ifdef __BIG_ENDIAN
#error "profil.ko needs a little-endian kernel"
#endif
#if !defined(CONFIG_DYNAMIC_FTRACE) && !defined(CONFIG_TRACEPOINTS)
#error "profil.ko needs CONFIG_DYNAMIC_FTRACE or CONFIG_TRACEPOINTS for ticks"
#endif

/*
 * 5.11: ftrace callbacks take ftrace_regs. A flag marks callbacks that can recurse;
 * before, a flag marked those that cannot. A page may be mapped while it is charged
 * to a memory cgroup; before, the charge and the count of mappings shared a word.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define ftrace_regs			pt_regs
#define PROFIL_FTRACE_NO_RECURSION	FTRACE_OPS_FL_RECURSION_SAFE
#define PROFIL_GFP_MAPPED		GFP_KERNEL
#else
#define PROFIL_FTRACE_NO_RECURSION	0
#define PROFIL_GFP_MAPPED		GFP_KERNEL_ACCOUNT
#endif

/* 5.12: io-wq workers are user threads with an mm, but without user registers. */
#ifndef PF_IO_WORKER
#define PF_IO_WORKER	0
#endif
/* 6.4: vhost workers too. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif

/* 6.6 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define inode_get_ctime(inode)	((inode)->i_ctime)
#endif

/* 5.13 */
#ifndef lockdep_assert_not_held
#ifdef CONFIG_LOCKDEP
#define lockdep_assert_not_held(lock)	\
	WARN_ON_ONCE(debug_locks && lockdep_is_held(lock))
#else
#define lockdep_assert_not_held(lock)	((void)(lock))
#endif
#endif

/* 5.12 */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC	0x65735546
#endif

/* 5.11 and 5.12: mremap() of vm_operations_struct has one argument more. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
#define PROFIL_VM_MREMAP_ARGS	struct vm_area_struct *vma, unsigned long flags
#else
#define PROFIL_VM_MREMAP_ARGS	struct vm_area_struct *vma
#endif

/* 5.14 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
static inline struct vm_area_struct *vma_lookup(struct mm_struct *mm,
						unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	return vma && vma->vm_start <= addr ? vma : NULL;
}
#endif

/* 5.18: the sched_switch tracepoint has one argument more. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
#define PROFIL_SWITCH_PROBE_ARGS					\
	void *data, bool preempt, struct task_struct *prev,		\
	struct task_struct *next
#else
#define PROFIL_SWITCH_PROBE_ARGS					\
	void *data, bool preempt, struct task_struct *prev,		\
	struct task_struct *next, unsigned int prev_state
#endif

/* 5.14: the state of a task has another name. 0: it does not want to sleep. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
#define profil_task_state(t)	READ_ONCE((t)->state)
#else
#define profil_task_state(t)	READ_ONCE((t)->__state)
#endif

/* Kernels for one CPU do not note which task runs; then only the caller does. */
#ifdef CONFIG_SMP
/* Pairs with the store in finish_task(). */
#define profil_task_on_cpu(t)	smp_load_acquire(&(t)->on_cpu)
#else
#define profil_task_on_cpu(t)	((t) == current)
#endif

/* 6.13: setting up an hrtimer sets its function. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* 6.2: call_rcu() may wait for seconds until more callbacks are there. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define call_rcu_hurry	call_rcu
#endif

/* 6.3: vm_flags are changed through accessors. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma,
				unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* 6.7: f_path of a file that is mapped from an overlay is the path below the overlay. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define profil_user_path(file)	(&(file)->f_path)
#else
#define profil_user_path(file)	file_user_path(file)
#endif

/*
 * Module exit waits for tasks in the last instructions of a callback. If the kernel
 * is not preemptible, synchronize_rcu_tasks() is synchronize_rcu().
 */
#if defined(CONFIG_PREEMPTION) && !defined(CONFIG_TASKS_RCU)
#error "profil.ko needs CONFIG_TASKS_RCU on a preemptible kernel"
#endif

/*
 * 5.19: x86 can compare and swap 8 bytes of user memory. (5.10.262 has one form of this,
 * but not its prerequisites.)
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0) && defined(unsafe_try_cmpxchg_user)
#define PROFIL_WORD_BYTES	8
#else
#define PROFIL_WORD_BYTES	4
#endif

#include "interrupted.h"

#endif /* _PROFIL_COMPAT_H */
