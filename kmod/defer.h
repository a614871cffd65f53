/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_DEFER_H
#define _PROFIL_DEFER_H

#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct profil;
struct profil_run;

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

/*
 * Distinct counters, or samples, that may wait at one time, per profile: 170.
 * What has no slot is dropped. So four CPUs at 1000 samples a second may be
 * without the worker for 40 ms while a page is absent, and a CPU by itself at
 * 100 for more than a second. Of sample arrays, the pages ahead are present.
 */
#define PROFIL_DEFER_SLOTS	(PAGE_SIZE / sizeof(struct profil_update))

/*
 * Pages of a sample array that are brought in after the one that samples are
 * being stored in: this much memory, at most, a profile takes without need.
 */
#define PROFIL_DEFER_AHEAD	2

/**
 * struct profil_defer - updates that found their page absent.
 * @lock:  protects @head, @n and @slot; taken in the tick.
 * @held:  the worker must leave the slots, and the process's memory, alone.
 * @head:  the oldest slot in use.
 * @n:     slots in use.
 * @slot:  the updates, in a ring.
 * @ahead: address of a sample after whose page others are wanted, or 0.
 * @work:  applies them from process context.
 */
struct profil_defer {
	raw_spinlock_t		lock;
	bool			held;
	unsigned int		head;
	unsigned int		n;
	struct profil_update	*slot;
	u64			ahead;
	struct work_struct	work;
};

bool profil_defer_init(struct profil *p);
void profil_defer_free(struct profil *p);
bool profil_defer_add(struct profil *p, const struct profil_run *run,
		      const struct profil_update *update);
void profil_defer_ahead(struct profil *p, struct profil_run *run, u64 addr);
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
