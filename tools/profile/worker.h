/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work in a thread, while its caller does something else. */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>
#include <stdbool.h>

struct worker {
	bool		runs;
	pthread_t	thread;
};

/* Begins @work(@context), which prints no message. Without a thread, does it now. */
void worker_begin(struct worker *worker, void *(*work)(void *), void *context);

/* Waits until the work is done, if any has begun. */
void worker_end(struct worker *worker);

#endif
