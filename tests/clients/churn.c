// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * churn N DIRECTORY: a process in which everything changes. Threads start and end,
 * a thread loads and unloads the plugins of DIRECTORY, and the process forks
 * children, which work and end without a word (exit() would wait for the linker's
 * lock, which the thread with the plugins may have had). Then one of the threads executes the program
 * again, with N - 1, while the others still run; with 1 it exits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS	8

static volatile unsigned long sink;
static char **arguments;

static __attribute__((noinline)) void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

static void *be_short(void *argument)
{
	char name[16];

	snprintf(name, sizeof(name), "short %lu", (unsigned long)argument);
	pthread_setname_np(pthread_self(), name);
	work(400000);
	return NULL;
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
