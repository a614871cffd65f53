/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_DEFER_H
#define _PROFIL_DEFER_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct profil;
struct profil_run;

/* Distinct counters that may wait at one time, per profile. */
#define PROFIL_DEFER_SLOTS	64

/**
 * struct profil_update - a change to the process's memory.
 * @addr:   of the counter or the array element.
 * @value:  histogram: how many ticks; sample array: the pc to store.
 * @index:  histogram: the region; sample array: the element's position.
 */
struct profil_update {
	u64	addr;
	u64	value;
	u64	index;
};

/**
 * struct profil_defer - updates that found their page absent.
 * @lock:  protects @n and @slot; taken in the tick.
 * @held:  the worker must leave the slots, and the process's memory, alone.
 * @n:     slots in use.
 * @slot:  the updates, oldest first.
 * @work:  applies them from process context.
 */
struct profil_defer {
	raw_spinlock_t		lock;
	bool			held;
	unsigned int		n;
	struct profil_update	slot[PROFIL_DEFER_SLOTS];
	struct work_struct	work;
};

void profil_defer_init(struct profil *p);
bool profil_defer_add(struct profil *p, const struct profil_update *update);
void profil_defer_inherit(struct profil *child, struct profil *parent,
			  const struct profil_run *run);
void profil_defer_kick(struct profil *p);
void profil_defer_hold(struct profil *p);
void profil_defer_release(struct profil *p);
void profil_defer_flush(struct profil *p, struct profil_run *run);
void profil_defer_discard(struct profil *p);

int profil_defer_module_init(void);
void profil_defer_module_exit(void);

#endif /* _PROFIL_DEFER_H */
