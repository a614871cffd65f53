// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * waits: sleeps, reads from a pipe and takes a lock, 300 times each, and waits each time
 * for as long as chance will have it. Two more threads write, and hold the lock.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TIMES	300

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t written, held;
static int ends[2];
static volatile unsigned long sink;

/* Up to 5 ms. */
static __attribute__((noinline)) void doze(unsigned int *chance)
{
	nanosleep(&(struct timespec) { .tv_nsec = rand_r(chance) % 5000000 }, NULL);
	sink++;
}

static void *write_all(void *unused)
{
	unsigned int chance = 1;

	(void)unused;
	for (int i = 0; i < TIMES; i++) {
		pthread_barrier_wait(&written);
		doze(&chance);
		if (write(ends[1], "", 1) != 1)
			abort();
	}
	return NULL;
}

static void *hold_all(void *unused)
{
	unsigned int chance = 2;

	(void)unused;
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&held);
		doze(&chance);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&held);
	}
	return NULL;
}

static __attribute__((noinline)) void rest(unsigned int *chance)
{
	doze(chance);
	sink++;
}

static __attribute__((noinline)) void receive(void)
{
	char byte;

	pthread_barrier_wait(&written);
	if (read(ends[0], &byte, 1) != 1)
		abort();
	sink++;
}

static __attribute__((noinline)) void take(void)
{
	pthread_barrier_wait(&held);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&held);
}

int main(void)
{
	unsigned int chance = 3;
	pthread_t threads[2];

	pthread_barrier_init(&written, NULL, 2);
	pthread_barrier_init(&held, NULL, 2);
	if (pipe(ends) || pthread_create(&threads[0], NULL, write_all, NULL) ||
	    pthread_create(&threads[1], NULL, hold_all, NULL))
		return 1;
	for (int i = 0; i < TIMES; i++) {
		rest(&chance);
		receive();
		take();
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
