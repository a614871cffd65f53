// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Four threads ask a slow server, and count the answers. docs/tutorial.md profiles it: a
 * thread holds the lock while it asks, and the others wait. -DASK_FIRST makes it faster.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define THREADS	4
#define LOOKUPS	100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long answers;

static __attribute__((noinline)) void ask_server(void)
{
	const struct timespec answer_time = { .tv_nsec = 2000000 };

	nanosleep(&answer_time, NULL);
}

static __attribute__((noinline)) void look_up(void)
{
#ifdef ASK_FIRST
	ask_server();
	pthread_mutex_lock(&lock);
#else
	pthread_mutex_lock(&lock);
	ask_server();
#endif
	answers++;
	pthread_mutex_unlock(&lock);
}

static void *look_up_all(void *unused)
{
	int i;

	for (i = 0; i < LOOKUPS; i++)
		look_up();
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, look_up_all, NULL))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu answers\n", answers);
	return 0;
}
