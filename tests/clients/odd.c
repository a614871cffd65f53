// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * odd HOW: a program that forks in an unusual way, or changes its name.
 *
 *	bare	in ways that no handler of pthread_atfork() hears of; each child works
 *		and calls exit(). Then works on, and is killed before it can say that
 *		it ended.
 *	linker	while another thread is inside the dynamic linker, whose lock the child
 *		then has for ever; the child calls exit()
 *	handler	in a signal handler, on a stack of 6 KiB and not a byte more, as programs do
 *		that start a debugger when they crash; the signal comes inside the dynamic
 *		linker; ends as the child does, with 7
 *	errno	says where that is not what it was: on entry to main, after fork(),
 *		after a dlopen() that works
 *	title [NAME]	as daemons do, writes over its first argument, then forks;
 *		with NAME, it becomes itself under that name first
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "work.h"

#define STACK_SIZE	8192

WORK(before)
WORK(after)
WORK(in_child)

static void be_child(void)
{
	in_child(30000000);
	exit(0);
}

static int fork_bare(void)
{
	before(30000000);
	if (_Fork() == 0)
		be_child();
	if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
		be_child();
	while (wait(NULL) > 0)
		;
	after(30000000);
	return raise(SIGKILL);
}

static sem_t inside, leave;

static int stay(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)info;
	(void)size;
	if (argument)
		return !raise(SIGUSR1);
	sem_post(&inside);
	sem_wait(&leave);
	return 1;
}

static void *iterate(void *argument)
{
	dl_iterate_phdr(stay, argument);
	return NULL;
}

/* How the next child ends. */
static int wait_for_child(void)
{
	int status;

	if (wait(&status) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int fork_in_linker(void)
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
	status = wait_for_child();
	sem_post(&leave);
	pthread_join(thread, NULL);
	return status;
}

static volatile int ended;

static void handle(int signal)
{
	(void)signal;
	if (fork() == 0)
		_exit(7);
	ended = wait_for_child();
}

static int fork_in_handler(void)
{
	char *memory = mmap(NULL, 2 * STACK_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = memory + STACK_SIZE, .ss_size = STACK_SIZE / 4 * 3 };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

	if (memory == MAP_FAILED || mprotect(stack.ss_sp, STACK_SIZE, PROT_READ | PROT_WRITE) < 0 ||
	    sigaltstack(&stack, NULL) < 0 || sigaction(SIGUSR1, &action, NULL) < 0)
		return 1;
	dl_iterate_phdr(stay, &stack);
	return ended;
}

static int wrong;

static void expect(const char *where, int is, int was)
{
	if (is == was)
		return;
	printf("errno is %d, not %d, %s\n", is, was, where);
	wrong = 1;
}

static int keep_errno(void)
{
	errno = ERANGE;
	if (fork() == 0)
		_exit(errno);
	expect("after fork in the parent", errno, ERANGE);
	expect("after fork in the child", wait_for_child(), ERANGE);
	errno = ERANGE;
	if (!dlopen("/lib/x86_64-linux-gnu/libm.so.6", RTLD_NOW))
		return 2;
	expect("after dlopen", errno, ERANGE);
	return wrong;
}

static int set_title(char *old)
{
	static char title[] = "a/../title: \033[1mwork\n";
	size_t room = strlen(old);

	memset(old, 0, room);
	memcpy(old, title, room < sizeof(title) ? room : sizeof(title) - 1);
	if (fork() == 0)
		be_child();
	wait(NULL);
	after(30000000);
	return 0;
}

/* Nobody calls it: a program's function can have any name. */
char *getenv(const char *name)
{
	(void)name;
	abort();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	expect("on entry to main", errno, 0);
	if (!strcmp(how, "bare"))
		return fork_bare();
	if (!strcmp(how, "linker"))
		return fork_in_linker();
	if (!strcmp(how, "handler"))
		return fork_in_handler();
	if (!strcmp(how, "errno"))
		return keep_errno();
	if (argc == 2)
		return set_title(argv[0]);
	execl("/proc/self/exe", argv[2], how, (char *)NULL);
	return 1;
}
