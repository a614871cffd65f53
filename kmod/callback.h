/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CALLBACK_H
#define _PROFIL_CALLBACK_H

#include <linux/task_work.h>
#include <linux/types.h>

struct profil;
struct task_struct;

/**
 * struct profil_callback - calls a thread back on its way to user mode.
 * @work:    in the thread's list of task work.
 * @profil:  whom it calls; a reference while @task is set.
 * @task:    the thread, to be compared only; NULL: free.
 */
struct profil_callback {
	struct callback_head	work;
	struct profil		*profil;
	struct task_struct	*task;
};

/* Threads of one profile that may have a callback at one time. */
#define PROFIL_CALLBACKS	64

/**
 * struct profil_callbacks - of one profile, under profil.lock.
 * @settler: the thread that is settling, to be compared only, or NULL.
 * @pool:    a thread has at most one of them.
 */
struct profil_callbacks {
	struct task_struct	*settler;
	struct profil_callback	pool[PROFIL_CALLBACKS];
};

void profil_callback_push(struct profil *p, bool user);

#endif /* _PROFIL_CALLBACK_H */
