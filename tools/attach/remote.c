// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs in a process of its own: when that ends, the kernel lets go of all that it has
 * not let go of itself. docs/design/attach.md has the protocol.
 */
#include "attach/remote.h"
#include "attach/candidates.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/message.h"

#include <asm/processor-flags.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OURS	(CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_SYSVSEM)
/* If SIGSYS is blocked, prctl(PR_SET_SYSCALL_USER_DISPATCH) removes the handler. */
#define DISPATCHED	(1UL << (SIGSYS - 1))
/* A program that gets signals all the time is asked again. */
#define TRIES	200
#define PAGE	4096UL
#define PATIENCE_MS	10000
#define IMPATIENCE_MS	2000

enum step { DONE, AGAIN, LOST };

/*
 * A thread that an earlier profil was killed with may still be in a slot, or in a signal
 * handler that returns there.
 */
static bool is_busy(void *context, pid_t tid, unsigned long slot)
{
	const struct remote *remote = context;
	struct thread thread;
	char task[32];
	bool busy;

	if (tid == remote->program.tid)
		return trampoline_awaits(remote->memory, slot, &remote->program);
	snprintf(task, sizeof(task), "task/%d", (int)tid);
	if (faccessat(remote->target->proc, task, F_OK, 0) < 0)
		return false;
	if (thread_seize(&thread, tid, 0) || thread_hold(&thread))
		return true;
	busy = trampoline_has(remote->memory, remote->vdso_end, &thread) ||
	       trampoline_awaits(remote->memory, slot, &thread);
	thread_release(&thread);
	return busy;
}

/* The end of the vdso; 0 if there is none. A file can have its name, but has an inode. */
static unsigned long vdso_end(const struct target *target)
{
	char *maps = target_read(target, "maps", NULL), *rest = maps, *line;
	unsigned long end = 0, inode, last;
	char name[8];

	/* Line by line: sscanf() looks for the end of its text each time. */
	while (!end && (line = strsep(&rest, "\n")))
		if (sscanf(line, "%*x-%lx %*s %*s %*s %lu %7[^\n]", &last, &inode, name) == 3 &&
		    !inode && !strcmp(name, "[vdso]"))
			end = last;
	free(maps);
	return end;
}

/* Until the call has been made, or could not be; its result. */
static enum step make_call(struct thread *program, pid_t *made, long *result)
{
	struct user_regs_struct registers;
	bool entered = false;

	thread_to_call(program, 0);
	for (;;) {
		switch (thread_wait(program, PATIENCE_MS)) {
		case THREAD_CALL:
			if (!entered)
				break;
			if (!thread_get(program, &registers))
				return LOST;
			*result = (long)registers.rax;
			return DONE;
		case THREAD_CLONED:
			*made = thread_new(program);
			thread_to_call(program, 0);
			continue;
		case THREAD_SIGNALLED:
			thread_unblock_signals(program);
			if (program->signal != SIGSYS)
				return thread_deliver(program) ? AGAIN : LOST;
			/* The call was refused by prctl(PR_SET_SYSCALL_USER_DISPATCH). */
			program->signal = 0;
			*result = -EPERM;
			return thread_deliver(program) ? DONE : LOST;
		case THREAD_TRAPPED:
			thread_to_call(program, 0);
			continue;
		default:
			return LOST;
		}
		entered = true;
		thread_to_call(program, 0);
	}
}

/* Has the thread of the program make ours. It is back in the program after this. */
static enum step make_thread(struct remote *remote, long *result)
{
	struct thread *program = &remote->program;
	struct user_regs_struct registers = program->own;
	enum step step;

	/* A program that steps through itself would get the traps of our code, and die of them. */
	registers.eflags &= ~(unsigned long)X86_EFLAGS_TF;
	registers.rip = remote->trampoline.clone;
	registers.rax = SYS_clone;
	registers.rdi = OURS;
	registers.rsi = registers.rdx = registers.r10 = registers.r8 = 0;
	/* No call is in progress: the kernel restarts none at these registers. */
	registers.orig_rax = (unsigned long)-1;
	trampoline_write(&remote->trampoline, program);
	thread_set(program, &registers);
	/* Behind the registers: what follows there puts the mask back. */
	thread_block_signals(program, DISPATCHED);
	/* Of the threads that the program makes itself, we want none. */
	thread_trace_clone(program, true);
	step = make_call(program, &remote->ours.tid, result);
	thread_trace_clone(program, false);
	if (step != DONE)
		return step;
	thread_unblock_signals(program);
	if (!thread_restore(program))
		return LOST;
	/* A signal was pending: the program gets it first. */
	if (!remote->ours.tid && interrupted_restarts(*result))
		return thread_let_signals(program) ? AGAIN : LOST;
	return DONE;
}

/* /dev/zero, full, random and urandom, which give as much as is wanted. */
static bool is_endless(const struct remote *remote, unsigned long fd)
{
	struct statx status;
	char path[64];

	snprintf(path, sizeof(path), "task/%d/fd/%d", (int)remote->program.tid, (int)fd);
	/* Asks no other machine, which might not answer. */
	if (statx(remote->target->proc, path, AT_STATX_DONT_SYNC, STATX_TYPE, &status) < 0 ||
	    !S_ISCHR(status.stx_mode) || status.stx_rdev_major != 1)
		return false;
	return status.stx_rdev_minor == 5 ||
	       (status.stx_rdev_minor >= 7 && status.stx_rdev_minor <= 9);
}

/* MAX_RW_COUNT of the kernel: no call moves more. */
#define MOST_BYTES	0x7ffff000UL

/*
 * The bytes that are still to be moved: the call has another result than all of it, because
 * we have stopped the thread. Reads of devices stop after whole pages.
 */
static unsigned long bytes_left(const struct remote *remote)
{
	const struct user_regs_struct *own = &remote->program.own;
	unsigned long all = 0;

	if ((long)own->rax <= 0)
		return 0;
	if (own->orig_rax == SYS_write || own->orig_rax == SYS_sendto)
		all = own->rdx;
	else if (own->orig_rax == SYS_getrandom)
		all = own->rsi;
	else if (own->orig_rax == SYS_read && own->rax % PAGE == 0 &&
		 is_endless(remote, own->rdi))
		all = own->rdx;
	all = all < MOST_BYTES ? all : MOST_BYTES;
	return own->rax < all ? all - own->rax : 0;
}

static long move_rest(struct remote *remote, unsigned long left)
{
	const struct user_regs_struct *own = &remote->program.own;

	if (own->orig_rax == SYS_getrandom)
		return remote_call(remote, SYS_getrandom, own->rdi + own->rax, left,
				   own->rdx);
	return remote_call(remote, (long)own->orig_rax, own->rdi, own->rsi + own->rax, left,
			   own->r10, own->r8, own->r9);
}

/*
 * Our thread moves the rest, while it has a copy of the program's descriptors. If that
 * fails, or takes long, the program sees a short count, as it might from the start. Meanwhile
 * the program gets no signals, and this process takes none. If this process is killed then,
 * the program writes once more what our thread still writes.
 */
static void finish_cut(struct remote *remote)
{
	struct user_regs_struct *own = &remote->program.own;
	const int64_t until = clock_ms() + IMPATIENCE_MS;
	unsigned long left;
	long result = 1;

	while (result > 0 && clock_ms() < until && (left = bytes_left(remote))) {
		remote->impatient = true;
		result = move_rest(remote, left);
		remote->impatient = false;
		if (result > 0) {
			own->rax += (unsigned long)result;
			thread_set(&remote->program, own);
		}
	}
}

/* A signal would run the program's handler on the stack of the other thread. */
static bool take_ours(struct remote *remote)
{
	if (thread_wait(&remote->ours, PATIENCE_MS) != THREAD_TRAPPED)
		return false;
	thread_block_signals(&remote->ours, 0);
	return thread_get(&remote->ours, &remote->registers);
}

static bool start(struct remote *remote)
{
	enum step step = AGAIN;
	long result = 0;
	int i;

	for (i = 0; i < TRIES && step == AGAIN; i++)
		step = make_thread(remote, &result);
	if (step != DONE && !target_lives(remote->target)) {
		warn("process %d has ended", remote->target->pid);
		return false;
	}
	if (step == LOST) {
		warn("cannot attach to process %d: it executes another program, or a thread of it does not stop: try again",
		     remote->target->pid);
		return false;
	}
	trampoline_free(&remote->trampoline, &remote->program);
	remote->held = bytes_left(remote) ||
		       candidates_is_alone(remote->target, remote->ours.tid);
	if (step == DONE && !remote->held)
		thread_release(&remote->program);
	if (step == AGAIN) {
		warn("cannot attach to process %d: it gets too many signals: try again",
		     remote->target->pid);
	} else if (!remote->ours.tid) {
		warn("cannot attach to process %d: it cannot make a thread: %s%s",
		     remote->target->pid, strerror((int)-result),
		     result == -EINVAL ? " (its children are in another pid namespace)" : "");
	} else if (take_ours(remote)) {
		if (remote->held)
			finish_cut(remote);
		return true;
	}
	if (remote->held || step == AGAIN)
		thread_release(&remote->program);
	return false;
}

/* Only now, not before: the process may have executed another program until here. */
static enum step find_room(struct remote *remote)
{
	const struct target *target = remote->target;

	remote->memory = openat(target->proc, "mem", O_RDWR | O_CLOEXEC);
	if (remote->memory < 0) {
		target_explain(target, errno);
		return LOST;
	}
	remote->vdso_end = vdso_end(target);
	/* It leaves the slot soon. */
	if (remote->vdso_end &&
	    trampoline_has(remote->memory, remote->vdso_end, &remote->program))
		return AGAIN;
	if (remote->vdso_end &&
	    trampoline_claim(&remote->trampoline, remote->memory, remote->vdso_end,
			     is_busy, remote))
		return DONE;
	warn("cannot attach to process %d: no room for code in its vdso: the kernel was started with vdso=0, or five profils were killed here whose code is still in use",
	     target->pid);
	return LOST;
}

bool remote_begin(struct remote *remote, const struct target *target,
		  const struct thread *held)
{
	const struct timespec moment = { .tv_nsec = 2000000 };
	enum step step = AGAIN;
	int i;

	if (!held && target_awaits_message(target)) {
		warn("process %d waits for a message with mq_notify(3), which profil would end: try again later",
		     target->pid);
		return false;
	}
	if (held)
		thread_go_first(true);
	for (i = 0; i < TRIES && step == AGAIN; i++) {
		*remote = (struct remote){ .target = target };
		if (held)
			remote->program = *held;
		else if (!candidates_hold(target, &remote->program))
			return false;
		held = NULL;
		step = find_room(remote);
		if (step == DONE)
			return start(remote);
		thread_release(&remote->program);
		if (remote->memory >= 0)
			close(remote->memory);
		thread_go_first(false);
		nanosleep(&moment, NULL);
	}
	if (step == AGAIN)
		warn("cannot attach to process %d: a thread of it is in the code of an earlier profil: try again",
		     target->pid);
	return false;
}

/* The next stop. An impatient call is interrupted if it takes too long. */
static enum thread_stop wait_for_ours(struct remote *remote, bool *interrupted)
{
	enum thread_stop stop = thread_wait(&remote->ours, remote->impatient ?
					    IMPATIENCE_MS : PATIENCE_MS);

	if (stop != THREAD_BUSY || !remote->impatient)
		return stop;
	*interrupted = true;
	thread_interrupt(&remote->ours);
	return thread_wait(&remote->ours, PATIENCE_MS);
}

/* At the exit of a call that a stop of the process has interrupted: once more. */
static enum step finish_call(struct remote *remote, long *result)
{
	struct thread *ours = &remote->ours;
	struct user_regs_struct registers;
	bool entered = false, interrupted = false;
	int signal = 0;

	for (;;) {
		thread_to_call(ours, signal);
		signal = 0;
		switch (wait_for_ours(remote, &interrupted)) {
		case THREAD_CALL:
			entered = !entered;
			if (entered)
				break;
			if (!thread_get(ours, &registers))
				return LOST;
			*result = (long)registers.rax;
			if (interrupted || !interrupted_restarts(*result))
				return DONE;
			break;
		case THREAD_SIGNALLED:
			/* A SIGSTOP, which is for the whole process. */
			signal = ours->signal;
			break;
		case THREAD_TRAPPED:
			break;
		default:
			return LOST;
		}
	}
}

long remote_call_all(struct remote *remote, long call, const unsigned long arguments[6])
{
	struct user_regs_struct registers = remote->registers;
	long result = -ESRCH;

	if (remote->lost)
		return result;
	registers.rip = remote->trampoline.call;
	registers.rax = (unsigned long)call;
	registers.rdi = arguments[0];
	registers.rsi = arguments[1];
	registers.rdx = arguments[2];
	registers.r10 = arguments[3];
	registers.r8 = arguments[4];
	registers.r9 = arguments[5];
	registers.orig_rax = (unsigned long)-1;
	thread_set(&remote->ours, &registers);
	if (finish_call(remote, &result) == LOST)
		remote->lost = true;
	return result;
}

bool remote_read(const struct remote *remote, unsigned long address, void *bytes,
		 size_t size)
{
	return pread(remote->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

bool remote_write(const struct remote *remote, unsigned long address, const void *bytes,
		  size_t size)
{
	return pwrite(remote->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

void remote_end(struct remote *remote)
{
	struct user_regs_struct registers = remote->registers;
	enum thread_stop stop;

	registers.rip = remote->trampoline.exit;
	registers.orig_rax = (unsigned long)-1;
	thread_set(&remote->ours, &registers);
	thread_continue(&remote->ours, 0);
	while ((stop = thread_wait(&remote->ours, PATIENCE_MS)) == THREAD_TRAPPED ||
	       stop == THREAD_SIGNALLED)
		thread_continue(&remote->ours,
				stop == THREAD_SIGNALLED ? remote->ours.signal : 0);
	thread_reap(&remote->ours);
	if (remote->held)
		thread_release(&remote->program);
	close(remote->memory);
}
