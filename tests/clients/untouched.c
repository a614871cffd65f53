// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * untouched: says where errno is not what it was: on entry to main, after
 * fork(), after a dlopen() that works.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;

static void expect(const char *where, int is, int was)
{
	if (is == was)
		return;
	printf("errno is %d, not %d, %s\n", is, was, where);
	wrong = 1;
}

int main(void)
{
	int status;

	expect("on entry to main", errno, 0);
	errno = ERANGE;
	if (fork() == 0)
		_exit(errno);
	expect("after fork in the parent", errno, ERANGE);
	wait(&status);
	expect("after fork in the child", WEXITSTATUS(status), ERANGE);
	errno = ERANGE;
	if (!dlopen("/lib/x86_64-linux-gnu/libm.so.6", RTLD_NOW))
		return 2;
	expect("after dlopen", errno, ERANGE);
	return wrong;
}
