// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/worker.h"

/* A default stack may be all memory that is left. */
#define STACK_BYTES	(256 << 10)

void worker_begin(struct worker *worker, void *(*work)(void *), void *context)
{
	pthread_attr_t small;

	worker->runs = false;
	if (!pthread_attr_init(&small)) {
		pthread_attr_setstacksize(&small, STACK_BYTES);
		worker->runs = !pthread_create(&worker->thread, &small, work, context);
		pthread_attr_destroy(&small);
	}
	if (!worker->runs)
		work(context);
}

void worker_end(struct worker *worker)
{
	if (worker->runs)
		pthread_join(worker->thread, NULL);
	worker->runs = false;
}
