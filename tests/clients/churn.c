// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * churn N: N threads one after another, four at a time, each with its name.
 *
 * churn N DIRECTORY: a process in which everything changes. Threads start and end,
 * a thread loads and unloads the plugins of DIRECTORY, and the process forks
 * children, which work and end without a word (exit() would wait for the linker's
 * lock, which the thread with the plugins may have had). Then one of the threads
 * executes the program again, with N - 1, while the others still run; with 1 it exits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "work.h"

#define ROUNDS		8
#define AT_A_TIME	4

static char **arguments;

WORK(work)

static void set_name(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "thread %lu", (unsigned long)number);
	pthread_setname_np(pthread_self(), name);
}

static void *be_short(void *argument)
{
	set_name(argument);
	work(400000);
	return NULL;
}

static void *be_long(void *argument)
{
	set_name(argument);
	work(5000000);
	return NULL;
}

static int have_long_ones(unsigned long n)
{
	pthread_t threads[AT_A_TIME];

	for (unsigned long i = 0; i < n + AT_A_TIME; i++) {
		if (i >= AT_A_TIME)
			pthread_join(threads[i % AT_A_TIME], NULL);
		if (i < n && pthread_create(&threads[i % AT_A_TIME], NULL, be_long, (void *)i))
			return 1;
	}
	return 0;
}

static void *have_threads(void *argument)
{
	pthread_t thread;

	for (unsigned long i = 0;; i++) {
		if (pthread_create(&thread, NULL, be_short, (void *)i))
			return argument;
		work(100000);
		pthread_join(thread, NULL);
	}
}

static void run_plugin(const char *name)
{
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/%s.so", arguments[2], name);
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		_exit(3);
	((void (*)(unsigned long))dlsym(handle, name))(300000);
	dlclose(handle);
}

static void *have_plugins(void *argument)
{
	for (;;) {
		run_plugin("first");
		run_plugin("second");
	}
	return argument;
}

static void have_children(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (fork() == 0) {
			work(1500000);
			_exit(0);
		}
		work(1500000);
	}
	while (wait(NULL) > 0)
		;
}

static void *begin_again(void *argument)
{
	char left[16];

	snprintf(left, sizeof(left), "%d", atoi(arguments[1]) - 1);
	execl("/proc/self/exe", arguments[0], left, arguments[2], (char *)NULL);
	_exit(4);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc == 2)
		return have_long_ones(strtoul(argv[1], NULL, 10));
	if (argc != 3)
		return 2;
	arguments = argv;
	if (pthread_create(&thread, NULL, have_threads, NULL) ||
	    pthread_create(&thread, NULL, have_plugins, NULL))
		return 1;
	have_children();
	if (atoi(argv[1]) < 2)
		exit(0);
	if (pthread_create(&thread, NULL, begin_again, NULL))
		return 1;
	for (;;)
		work(100000);
}
