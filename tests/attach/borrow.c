// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * borrow PID TIMES: has the process make harmless system calls, as profil -p does for a
 * profile. It needs no module. Exits 0, 1 if it was refused, 2 for a wrong result.
 */
#include "attach/remote.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE	4096UL

static int borrow(struct remote *remote)
{
	unsigned long map, word = 1;
	int status = 2;

	if (remote_call(remote, SYS_close_range, 0, ~0U, 0) == 0 &&
	    remote_call(remote, SYS_getpid, 0) == remote->target->pid &&
	    /* Its own table of descriptors is empty. */
	    remote_call(remote, SYS_socket, 1, 1, 0) == 0)
		status = 0;
	map = (unsigned long)remote_call(remote, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, ~0UL, 0);
	if (map < -PAGE) {
		if (!remote_write(remote, map, &word, sizeof(word)) ||
		    remote_call(remote, SYS_munmap, map, PAGE))
			status = 2;
	}
	return remote->lost ? 2 : status;
}

int main(int argc, char **argv)
{
	long times = argc > 2 ? atol(argv[2]) : 1;
	struct target target;
	struct remote remote;
	int status = 0;
	sigset_t all;

	if (argc < 2)
		return 2;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	target_open(&target, atoi(argv[1]));
	while (!status && times--) {
		if (!remote_begin(&remote, &target, NULL))
			return 1;
		status = borrow(&remote);
		remote_end(&remote);
	}
	return status;
}
