// SPDX-License-Identifier: LGPL-2.1-or-later
#include "attach/interrupted.h"

#include <errno.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define SYSCALL_BYTES	2	/* of the instruction */

/* They return EINTR to a thread that is stopped in them. */
static bool is_never_restarted(long call)
{
	switch (call) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_rt_sigtimedwait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return true;
	default:
		return false;
	}
}

/* Likewise if the socket has a timeout, and some devices. Nothing was read yet. */
static bool is_restarted_at_times(long call)
{
	switch (call) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_accept:
	case SYS_accept4:
		return true;
	default:
		return false;
	}
}

/* A part of the work may be done: stopped then, they return a count, or what is unknown. */
static bool is_cut_short(long call)
{
	switch (call) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_copy_file_range:
	case SYS_recvmmsg:
	case SYS_getrandom:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
	case SYS_connect:
	case SYS_close:
	case SYS_execve:
	case SYS_execveat:
	case SYS_fallocate:
	case SYS_ioctl:		/* as the driver likes: KVM_RUN is EINTR */
	case SYS_io_uring_enter:
		return true;
	default:
		return false;
	}
}

static bool is_with_time_left(long call)
{
	switch (call) {
	case SYS_poll:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_futex:
	case SYS_restart_syscall:
		return true;
	default:
		return false;
	}
}

/* A receive that waits for all of its bytes may have some. */
static bool waits_for_all(long call, const unsigned long *arguments)
{
	return (call == SYS_recvfrom && arguments[3] & MSG_WAITALL) ||
	       (call == SYS_recvmsg && arguments[2] & MSG_WAITALL);
}

/* EINTR undoes all of it, on tmpfs. Two of these would move the contents once more. */
static bool is_allocation(const struct user_regs_struct *registers)
{
	return registers->orig_rax == SYS_fallocate &&
	       !(registers->rsi & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE));
}

enum interrupted_class interrupted_class_of(const char *line)
{
	unsigned long arguments[6];
	long call;

	if (sscanf(line, "%ld %lx %lx %lx %lx %lx %lx", &call, &arguments[0],
		   &arguments[1], &arguments[2], &arguments[3], &arguments[4],
		   &arguments[5]) < 7)
		return INTERRUPTED_RUNNING;
	if (is_cut_short(call) || waits_for_all(call, arguments))
		return INTERRUPTED_NEVER;
	if (is_never_restarted(call))
		return INTERRUPTED_ANEW;
	return is_with_time_left(call) ? INTERRUPTED_BLOCK : INTERRUPTED_SAFE;
}

bool interrupted_must_restart(const struct user_regs_struct *registers)
{
	long call = (long)registers->orig_rax;

	return registers->rax == (unsigned long)-EINTR && call >= 0 &&
	       (is_never_restarted(call) || is_restarted_at_times(call) ||
		is_allocation(registers));
}

bool interrupted_restarts(long result)
{
	return (result <= -512 && result >= -514) || result == -516;
}

struct user_regs_struct interrupted_resumed(const struct user_regs_struct *registers)
{
	struct user_regs_struct resumed = *registers;

	if ((long)registers->orig_rax < 0 || !interrupted_restarts((long)registers->rax))
		return resumed;
	if (registers->rax == INTERRUPTED_RESTART_BLOCK)
		resumed.rax = SYS_restart_syscall;
	else
		resumed.rax = registers->orig_rax;
	resumed.rip -= SYSCALL_BYTES;
	return resumed;
}
