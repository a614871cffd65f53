// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "begin.h"
#include "fork.h"
#include "preload.h"

#include <errno.h>
#include <unistd.h>

/*
 * fork() without its handlers, for handlers of signals: what is done for a child
 * are system calls, and nothing that is locked. libc's fork() has its own.
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
