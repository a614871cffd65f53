// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dlfork: forks while another thread is inside the dynamic linker, whose lock
 * the child then has for ever; the child calls exit().
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t inside, leave;

static int stay(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)info;
	(void)size;
	(void)argument;
	sem_post(&inside);
	sem_wait(&leave);
	return 1;
}

static void *iterate(void *argument)
{
	dl_iterate_phdr(stay, argument);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int status;

	sem_init(&inside, 0, 0);
	sem_init(&leave, 0, 0);
	if (pthread_create(&thread, NULL, iterate, NULL))
		return 1;
	sem_wait(&inside);
	if (fork() == 0)
		exit(7);
	wait(&status);
	sem_post(&leave);
	pthread_join(thread, NULL);
	return WEXITSTATUS(status);
}
