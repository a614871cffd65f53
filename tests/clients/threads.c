// SPDX-License-Identifier: LGPL-2.1-or-later
/* threads N: N threads one after another, four at a time, each with its name. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define AT_A_TIME	4

static volatile unsigned long sink;

static __attribute__((noinline)) void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

static void *begin(void *argument)
{
	char name[16];

	snprintf(name, sizeof(name), "thread %lu", (unsigned long)argument);
	pthread_setname_np(pthread_self(), name);
	work(5000000);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 10, i;
	pthread_t threads[AT_A_TIME];

	for (i = 0; i < n + AT_A_TIME; i++) {
		if (i >= AT_A_TIME)
			pthread_join(threads[i % AT_A_TIME], NULL);
		if (i < n && pthread_create(&threads[i % AT_A_TIME], NULL, begin,
					    (void *)i))
			return 1;
	}
	return 0;
}
