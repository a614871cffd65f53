/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process of profil that attaches to one other process, while profil waits. */
#ifndef ATTACHMENT_H
#define ATTACHMENT_H

#include "attach/attach.h"

struct attachment {
	struct attach	attach;
	double		delay;		/* before it */
	int		gate;		/* of a command that waits: see command_start(); or -1 */
	bool		muted;		/* messages are not printed */
	uint64_t	*cpu_ns;	/* shared by all of them: CPU time is added; or NULL */
};

/* Its exit status if the other process has executed another program. */
#define ATTACHMENT_REPLACED	1

/* Starts it. It ends with the other process, or by SIGTERM, or if this process ends. */
pid_t attachment_start(const struct attachment *attachment);

/*
 * What each of them does first: terminals do not reach it. It has SIGTERM if its parent
 * ends, and blocks that.
 */
void attachment_begin(pid_t parent);

/* Waits for that long. SIGTERM ends this process. */
void attachment_delay(double seconds);

/* Ends it with SIGTERM. */
void attachment_end(pid_t pid);

#endif
