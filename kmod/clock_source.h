/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_CLOCK_SOURCE_H
#define _PROFIL_CLOCK_SOURCE_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>

/**
 * struct profil_source - something that makes ticks.
 * @start: make it call profil_tick(); may sleep. 0 or a negative errno.
 * @stop:  when it returns, nothing calls profil_tick() for it; may sleep.
 * @users: who is to be counted first, and then armed for.
 * @armed: it has been started.
 */
struct profil_source {
	int		(*start)(void);
	void		(*stop)(void);
	atomic_t	*users;
	bool		armed;
};

/* Held to arm and to disarm; protects both. */
extern struct mutex profil_clock_mutex;
extern struct profil_source profil_tick_source;
extern struct profil_source profil_timer_source;

int profil_source_arm(struct profil_source *source);
bool profil_source_is_idle(const struct profil_source *source);
void profil_source_disarm(struct profil_source *source);

#endif /* _PROFIL_CLOCK_SOURCE_H */
