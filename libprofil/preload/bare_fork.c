// SPDX-License-Identifier: LGPL-2.1-or-later
#include "begin.h"
#include "fork.h"
#include "preload.h"

#include <errno.h>
#include <unistd.h>

/*
 * _Fork() runs no pthread_atfork() handlers, so that signal handlers can call it.
 * The work for the child here takes no lock. libc's fork() does not come this way.
 */
EXPORT pid_t _Fork(void)
{
	pid_t pid;

	preload_begin();
	if (!preload.next_fork) {
		errno = ENOSYS;
		return -1;
	}
	fork_prepare();
	pid = preload.next_fork();
	if (pid == 0)
		fork_child();
	return pid;
}
