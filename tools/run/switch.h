/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --signal: a signal to profil begins the profile of a process, and the next one ends it. */
#ifndef SWITCH_H
#define SWITCH_H

#include "run/attachment.h"

struct switching {
	int		signal;
	bool		follow;		/* the processes that it starts, too */
	double		seconds;	/* the longest profile; 0: no limit */
};

/*
 * Waits for signals until the process of @root has ended or another signal ends this
 * process. The caller has blocked the signal.
 */
void switch_run(const struct attachment *root, const struct switching *switching);

/* The same in a process of its own, which SIGTERM ends. */
pid_t switch_start(const struct attachment *root, const struct switching *switching);

#endif
