/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_STACKS_H
#define _PROFIL_STACKS_H

#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>

#include "stack_encoder.h"

struct profil;
struct profil_unwinder;

/*
 * Threads that may have ticks without a stack at one time, in sets that a thread
 * has one of. Threads that were ticked in the kernel may stay there for ever: they
 * get no more of a set than PROFIL_STACKS_WAYS_SYSTEM. What is left takes fewer, as
 * it is written in callbacks, which threads without an entry do not have.
 */
#define PROFIL_STACKS_SETS		64
#define PROFIL_STACKS_WAYS		4
#define PROFIL_STACKS_WAYS_SYSTEM	3
#define PROFIL_STACKS_WAYS_LEFT		2
#define PROFIL_STACKS_ENTRIES		(PROFIL_STACKS_WAYS * PROFIL_STACKS_SETS)

/**
 * struct profil_stacks_entry - ticks of a thread whose stack is to be walked.
 * @task:    whose it is, to be compared only, while its callback is queued or
 *           runs; PROFIL_STACKS_LEFT: nobody's any more, but ticks are in it; NULL:
 *           free. Ticks take free ones, which is the only change without @lock of
 *           the profile.
 * @count:   ticks of the current run; 0: none, and what follows means nothing but
 *           for @time_ns.
 * @kernel:  the first interrupted the kernel.
 * @ip:      user pc of all of them.
 * @sp:      likewise.
 * @sample:  position of the first in the sample array.
 * @time_ns: of the first; 0: just now, as it is of an entry without ticks.
 * @last_ns: of the last, if @count is not 1.
 * @thread:  its id, once the callback has begun.
 * @cpu:     of the first.
 * @syscall: the system call that the thread was in, or -1; with @kernel.
 * @walking: the thread is in the callback.
 * @work:    in the thread's list of task work.
 * @profil:  a reference while @work is queued or runs.
 *
 * Ticks are added by the thread's own, while its profile is live. They are taken
 * under @lock of the profile by the thread itself, or by who stops or closes the
 * profile, whom they have been drained for.
 */
struct profil_stacks_entry {
	struct task_struct	*task;
	/* One store in the tick. */
	u32			count;
	u32			kernel;
	u64			ip;
	u64			sp;
	u64			sample;
	u64			time_ns;
	u64			last_ns;
	u32			thread;
	u32			cpu;
	s32			syscall;
	bool			walking;
	struct callback_head	work;
	struct profil		*profil;
} __aligned(128);

#define PROFIL_STACKS_LEFT	((struct task_struct *)1)

/**
 * struct profil_stacks_thread - what is known of a thread.
 * @thread: its id; 0: nobody's.
 * @name:   as the stream has it.
 * @last:   its last stack in the stream; NULL until there is memory for it.
 */
struct profil_stacks_thread {
	u32				thread;
	char				name[TASK_COMM_LEN] __aligned(8);
	struct profil_stack_last	*last;
};

/* Threads whose last stacks are remembered, and places that one may have. */
#define PROFIL_STACKS_THREADS	64
#define PROFIL_STACKS_PROBES	4

/**
 * struct profil_stacks - what a profile needs for stacks.
 * @lock:     the profile's.
 * @ended:    nothing is written any more in this run. Changed under @lock, like all
 *            that follows but @walking and @unwinder.
 * @run:      number of the current run, or the last one.
 * @nleft:    entries that are left.
 * @stream:   what has been written.
 * @position: bytes of it.
 * @recorded: ticks in it.
 * @ahead:    up to this address the stream's memory has been brought in.
 * @behind:   the next record may need more: a hint.
 * @evict:    whom to forget next.
 * @thread:   by id.
 * @bytes:    of a record that is written, and a 0 behind it.
 * @walking:  protects @unwinder. Taken by trylock only.
 * @unwinder: with the rules of earlier walks. Others walk without.
 * @entry:    of threads.
 */
struct profil_stacks {
	raw_spinlock_t			*lock;
	bool				ended;
	bool				behind;
	u32				run;
	u32				nleft;
	struct profil_stack_encoder	stream;
	u64				position;
	u64				recorded;
	u64				ahead;
	u32				evict;
	struct profil_stacks_thread	thread[PROFIL_STACKS_THREADS];
	u8				bytes[PROFIL_STACK_RECORD_BYTES + 1];
	struct mutex			walking;	/* whose turn it is */
	struct profil_unwinder		*unwinder;
	struct profil_stacks_entry	entry[PROFIL_STACKS_ENTRIES];
};

/* The current thread's id, as it sees it itself. It has not been reaped. */
static __always_inline u32 profil_stacks_own_id(void)
{
	const struct pid *pid = READ_ONCE(current->thread_pid);

	return pid->numbers[pid->level].nr;
}

/*
 * The entries that the current thread may have one of: by its id. Who shares them
 * with whom can be seen in what has no stack, and is not to say anything of the
 * kernel's, like the address of a task. A thread that has got another id since,
 * which only exec can give it, does not find the one it has.
 */
static __always_inline struct profil_stacks_entry *profil_stacks_set(struct profil_stacks *s)
{
	return &s->entry[PROFIL_STACKS_WAYS * (profil_stacks_own_id() % PROFIL_STACKS_SETS)];
}

/* That of the current thread, or NULL. */
static __always_inline struct profil_stacks_entry *
profil_stacks_own(struct profil_stacks_entry *set)
{
	unsigned int i;

	for (i = 0; i < PROFIL_STACKS_WAYS; i++)
		if (READ_ONCE(set[i].task) == current)
			return &set[i];
	return NULL;
}

/* The current thread is walking its stack. */
static inline bool profil_stacks_is_walking(struct profil_stacks *s)
{
	struct profil_stacks_entry *e =
		s ? profil_stacks_own(profil_stacks_set(s)) : NULL;

	return e && e->walking;
}

struct profil_stacks *profil_stacks_alloc(raw_spinlock_t *lock);
void profil_stacks_free(struct profil_stacks *s);
void profil_stacks_begin(struct profil_stacks *s);
struct profil_stack_last *profil_stacks_last_alloc(void);
struct profil_stacks_thread *profil_stacks_thread(struct profil_stacks *s, u32 id);

#endif /* _PROFIL_STACKS_H */
