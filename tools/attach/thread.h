/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One thread of another process under ptrace(2): stopped, given other registers,
 * resumed. docs/design/attach.md says why each step is safe when profil is killed.
 */
#ifndef THREAD_H
#define THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

enum thread_stop {
	THREAD_TRAPPED,		/* PTRACE_EVENT_STOP: by us, or as the process is stopped */
	THREAD_CALL,		/* at the beginning or the end of a system call */
	THREAD_CLONED,		/* it has made a thread */
	THREAD_EXECUTED,	/* it has executed a program, of which nothing has run */
	THREAD_SIGNALLED,	/* a signal is about to be delivered */
	THREAD_GONE,		/* it has ended */
	THREAD_BUSY,		/* it does not stop: waits in the kernel */
};

struct thread {
	pid_t	tid;
	unsigned long options;
	int	signal;		/* of THREAD_SIGNALLED */
	struct user_regs_struct own;	/* as the program knows them, after thread_hold() */
	uint64_t mask;		/* of blocked signals, likewise */
};

/*
 * If @first, this process runs before others from now on, where that is allowed, as the program
 * waits for it. If not, it runs as usual again.
 */
void thread_go_first(bool first);

/*
 * Traces thread @tid, which runs on. Returns 0 or an errno. @options are those of
 * PTRACE_SETOPTIONS that it needs besides: with PTRACE_O_SUSPEND_SECCOMP, its seccomp
 * filter rests while it is traced.
 */
int thread_seize(struct thread *thread, pid_t tid, unsigned long options);

/* Lets a thread that runs on have its signals. False: it has ended. */
bool thread_attend(struct thread *thread);

/*
 * Stops it, and takes its registers. Returns 0 or an errno: EBUSY if it does not stop,
 * ENOTSUP if it runs 32-bit code.
 */
int thread_hold(struct thread *thread);

/* Waits for the next stop, at most @ms milliseconds. */
enum thread_stop thread_wait(struct thread *thread, int ms);

/* Requests that fail only if the thread has gone, which the next wait shows. */
void thread_set(const struct thread *thread, const struct user_regs_struct *registers);
bool thread_get(const struct thread *thread, struct user_regs_struct *registers);
void thread_interrupt(const struct thread *thread);
void thread_continue(const struct thread *thread, int signal);
void thread_to_call(const struct thread *thread, int signal);
void thread_trace_clone(const struct thread *thread, bool yes);
void thread_block_signals(const struct thread *thread, uint64_t but);
void thread_unblock_signals(const struct thread *thread);
pid_t thread_new(const struct thread *thread);
void thread_put_word(const struct thread *thread, unsigned long address,
		     unsigned long word);

/* Forgets a thread that has ended. */
void thread_reap(const struct thread *thread);

/*
 * From a stop at a system call, back to where the program was: at a stop where the
 * kernel restarts what it has interrupted. False: it has gone.
 */
bool thread_restore(struct thread *thread);

/* From there, lets a pending signal reach the program; then holds the thread again. */
bool thread_let_signals(struct thread *thread);

/* From THREAD_SIGNALLED, with the registers of a call that it has not made. */
bool thread_deliver(struct thread *thread);

/* The registers with which a thread that runs freely continues the program. */
struct user_regs_struct thread_resumed(const struct thread *thread);

/* Lets it go. */
void thread_release(const struct thread *thread);

#endif
