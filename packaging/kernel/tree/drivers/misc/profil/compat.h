/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel has in another form. */
#ifndef _PROFIL_COMPAT_H
#define _PROFIL_COMPAT_H

#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

/* A page that is charged to the process, and mapped by it. */
#define PROFIL_GFP_MAPPED	GFP_KERNEL_ACCOUNT

/* Arguments of mremap() of vm_operations_struct. */
#define PROFIL_VM_MREMAP_ARGS	struct vm_area_struct *vma

/* Arguments of the sched_switch tracepoint. */
#define PROFIL_SWITCH_PROBE_ARGS					\
	void *data, bool preempt, struct task_struct *prev,		\
	struct task_struct *next, unsigned int prev_state

/* The state of a task; 0: it does not want to sleep. */
#define profil_task_state(t)	READ_ONCE((t)->__state)

/* f_path of a file that is mapped from an overlay is the path below the overlay. */
#define profil_user_path(file)	file_user_path(file)

/* Kernels for one CPU do not note which task runs; then only the caller does. */
#ifdef CONFIG_SMP
/* Pairs with the store in finish_task(). */
#define profil_task_on_cpu(t)	smp_load_acquire(&(t)->on_cpu)
#else
#define profil_task_on_cpu(t)	((t) == current)
#endif

/* Setting up an hrtimer sets its function. */
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}

#ifdef unsafe_try_cmpxchg_user
#define PROFIL_WORD_BYTES	8
#else
#define PROFIL_WORD_BYTES	4
#endif

#include "interrupted.h"

#endif /* _PROFIL_COMPAT_H */
