// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * No stop is ever collected (WNOWAIT): if this process is killed at a stop that it has
 * collected, the kernel drops the signal of that stop.
 */
#include "attach/thread.h"
#include "attach/interrupted.h"
#include "common/clock.h"

#include <elf.h>
#include <errno.h>
#include <linux/rseq.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALL_SIGNAL	(SIGTRAP | 0x80)
#define CODE_64		0x33	/* %cs of 64-bit code */

static long trace(int request, const struct thread *thread, unsigned long address,
		  unsigned long data)
{
	return syscall(SYS_ptrace, request, thread->tid, address, data);
}

/* False: it runs. */
static bool look(struct thread *thread, siginfo_t *state)
{
	*state = (siginfo_t){ .si_pid = 0 };
	if (waitid(P_PID, (id_t)thread->tid, state,
		   WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) < 0) {
		state->si_code = CLD_EXITED;
		return true;
	}
	return state->si_pid;
}

static enum thread_stop kind(struct thread *thread, const siginfo_t *state)
{
	int event = state->si_status >> 8;

	if (state->si_code != CLD_TRAPPED && state->si_code != CLD_STOPPED)
		return THREAD_GONE;
	if (event == PTRACE_EVENT_STOP)
		return THREAD_TRAPPED;
	if (event == PTRACE_EVENT_CLONE)
		return THREAD_CLONED;
	if (event == PTRACE_EVENT_EXEC)
		return THREAD_EXECUTED;
	if (state->si_status == CALL_SIGNAL)
		return THREAD_CALL;
	thread->signal = state->si_status & 0x7f;
	return THREAD_SIGNALLED;
}

/* A stop sends SIGCHLD, which is blocked. */
enum thread_stop thread_wait(struct thread *thread, int ms)
{
	int64_t end = clock_ms() + ms, left = ms;
	struct timespec step;
	siginfo_t state;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!look(thread, &state)) {
		if (left <= 0)
			return THREAD_BUSY;
		step = (struct timespec){ left / 1000, left % 1000 * 1000000 };
		sigtimedwait(&child, NULL, &step);
		left = end - clock_ms();
	}
	return kind(thread, &state);
}

void thread_set(const struct thread *thread, const struct user_regs_struct *registers)
{
	struct iovec all = {
		.iov_base = (void *)(uintptr_t)registers, .iov_len = sizeof(*registers),
	};

	trace(PTRACE_SETREGSET, thread, NT_PRSTATUS, (unsigned long)&all);
}

bool thread_get(const struct thread *thread, struct user_regs_struct *registers)
{
	struct iovec all = { .iov_base = registers, .iov_len = sizeof(*registers) };

	return trace(PTRACE_GETREGSET, thread, NT_PRSTATUS, (unsigned long)&all) == 0 &&
	       all.iov_len == sizeof(*registers);
}

void thread_interrupt(const struct thread *thread)
{
	trace(PTRACE_INTERRUPT, thread, 0, 0);
}

void thread_continue(const struct thread *thread, int signal)
{
	trace(PTRACE_CONT, thread, 0, (unsigned long)signal);
}

void thread_to_call(const struct thread *thread, int signal)
{
	trace(PTRACE_SYSCALL, thread, 0, (unsigned long)signal);
}

void thread_trace_clone(const struct thread *thread, bool yes)
{
	trace(PTRACE_SETOPTIONS, thread, 0,
	      thread->options | (yes ? PTRACE_O_TRACECLONE : 0));
}

static void set_mask(const struct thread *thread, uint64_t mask)
{
	trace(PTRACE_SETSIGMASK, thread, sizeof(mask), (unsigned long)&mask);
}

void thread_block_signals(const struct thread *thread, uint64_t but)
{
	set_mask(thread, ~but);
}

void thread_unblock_signals(const struct thread *thread)
{
	set_mask(thread, thread->mask);
}

pid_t thread_new(const struct thread *thread)
{
	unsigned long tid = 0;

	trace(PTRACE_GETEVENTMSG, thread, 0, (unsigned long)&tid);
	return (pid_t)tid;
}

void thread_put_word(const struct thread *thread, unsigned long address,
		     unsigned long word)
{
	trace(PTRACE_POKEDATA, thread, address, word);
}

void thread_reap(const struct thread *thread)
{
	siginfo_t state;

	waitid(P_PID, (id_t)thread->tid, &state, WEXITED | WNOHANG | __WALL);
}

static bool peek(const struct thread *thread, uint64_t address, uint64_t *word)
{
	/* The bare system call stores the word. */
	return trace(PTRACE_PEEKDATA, thread, address, (unsigned long)word) == 0;
}

/*
 * In a restartable sequence (rseq(2)), the kernel sends a thread that it has interrupted
 * to the sequence's abort address. With the registers of our call it would find no
 * sequence to abort, so this does the same before.
 */
static void leave_sequence(const struct thread *thread, struct user_regs_struct *registers)
{
	struct __ptrace_rseq_configuration rseq;
	uint64_t at = 0, start, length, handler;

	if (trace(PTRACE_GET_RSEQ_CONFIGURATION, thread, sizeof(rseq),
		  (unsigned long)&rseq) < 0 || !rseq.rseq_abi_pointer ||
	    !peek(thread, rseq.rseq_abi_pointer + offsetof(struct rseq, rseq_cs), &at) ||
	    !at || !peek(thread, at + offsetof(struct rseq_cs, start_ip), &start) ||
	    !peek(thread, at + offsetof(struct rseq_cs, post_commit_offset), &length) ||
	    !peek(thread, at + offsetof(struct rseq_cs, abort_ip), &handler))
		return;
	if (registers->rip - start < length)
		registers->rip = handler;
}

/* Takes the registers as the base of all that follows. */
static bool take(struct thread *thread)
{
	unsigned long before;

	if (!thread_get(thread, &thread->own) ||
	    trace(PTRACE_GETSIGMASK, thread, sizeof(thread->mask),
		  (unsigned long)&thread->mask) < 0)
		return false;
	/* At once: until then, the program would see EINTR if this process is killed. */
	if (interrupted_must_restart(&thread->own)) {
		thread->own.rax = INTERRUPTED_RESTART;
		thread_set(thread, &thread->own);
	}
	before = thread->own.rip;
	leave_sequence(thread, &thread->own);
	if (before != thread->own.rip)
		thread_set(thread, &thread->own);
	return true;
}

/* Until it stops, passes on what is not ours. */
static enum thread_stop wait_trapped(struct thread *thread)
{
	enum thread_stop stop;

	while ((stop = thread_wait(thread, 1000)) != THREAD_TRAPPED) {
		if (stop == THREAD_GONE || stop == THREAD_BUSY)
			return stop;
		thread_continue(thread, stop == THREAD_SIGNALLED ? thread->signal : 0);
	}
	return stop;
}

void thread_go_first(bool first)
{
	const struct sched_param lowest = { .sched_priority = first };

	sched_setscheduler(0, first ? SCHED_FIFO : SCHED_OTHER, &lowest);
}

int thread_seize(struct thread *thread, pid_t tid, unsigned long options)
{
	*thread = (struct thread){
		.tid = tid, .options = PTRACE_O_TRACESYSGOOD | options,
	};
	return trace(PTRACE_SEIZE, thread, 0, thread->options) < 0 ? errno : 0;
}

bool thread_attend(struct thread *thread)
{
	enum thread_stop stop = thread_wait(thread, 0);

	if (stop == THREAD_SIGNALLED)
		thread_continue(thread, thread->signal);
	else if (stop == THREAD_TRAPPED)
		/* The process is stopped, and stays so. */
		trace(PTRACE_LISTEN, thread, 0, 0);
	return stop != THREAD_GONE;
}

int thread_hold(struct thread *thread)
{
	thread_interrupt(thread);
	switch (wait_trapped(thread)) {
	case THREAD_TRAPPED:
		break;
	case THREAD_GONE:
		return ESRCH;
	default:
		return EBUSY;
	}
	if (!take(thread) || thread->own.cs != CODE_64) {
		thread_release(thread);
		return ENOTSUP;
	}
	return 0;
}

bool thread_restore(struct thread *thread)
{
	/* A system call's stop does not restart what was interrupted before: this does. */
	thread_interrupt(thread);
	thread_set(thread, &thread->own);
	thread_continue(thread, 0);
	return wait_trapped(thread) == THREAD_TRAPPED && take(thread);
}

bool thread_deliver(struct thread *thread)
{
	thread_set(thread, &thread->own);
	thread_interrupt(thread);
	thread_continue(thread, thread->signal);
	return wait_trapped(thread) == THREAD_TRAPPED && take(thread);
}

bool thread_let_signals(struct thread *thread)
{
	thread_continue(thread, 0);
	switch (thread_wait(thread, 1)) {
	case THREAD_SIGNALLED:
		return thread_deliver(thread);
	case THREAD_GONE:
		return false;
	default:
		thread_interrupt(thread);
		return wait_trapped(thread) == THREAD_TRAPPED && take(thread);
	}
}

struct user_regs_struct thread_resumed(const struct thread *thread)
{
	return interrupted_resumed(&thread->own);
}

void thread_release(const struct thread *thread)
{
	trace(PTRACE_DETACH, thread, 0, 0);
}
