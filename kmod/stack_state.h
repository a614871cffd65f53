/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_STACK_STATE_H
#define _PROFIL_STACK_STATE_H

#include <linux/hash.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/types.h>

#include "stack_record.h"

struct profil;
struct profil_walker;

/*
 * Threads that may have ticks without a stack at one time, in sets that a thread
 * has one of. Threads that were ticked in the kernel may stay there for ever: they
 * get no more of a set than PROFIL_STACK_WAYS_SYSTEM.
 */
#define PROFIL_STACK_SET_BITS		6
#define PROFIL_STACK_WAYS		4
#define PROFIL_STACK_WAYS_SYSTEM	3
#define PROFIL_STACK_ENTRIES		(PROFIL_STACK_WAYS << PROFIL_STACK_SET_BITS)

/**
 * struct profil_stack_entry - ticks of a thread whose stack is to be walked.
 * @task:    whose it is, to be compared only, while its callback is queued or
 *           runs; PROFIL_STACK_LEFT: nobody's any more, but ticks are in it; NULL:
 *           free. Ticks take free ones, which is the only change without @lock of
 *           the profile.
 * @count:   ticks; 0: none, and what follows means nothing.
 * @ip:      user pc of all of them.
 * @sp:      likewise.
 * @sample:  position of the first in the sample array.
 * @time_ns: of the first; 0: just now.
 * @last_ns: of the last, if @count is not 1.
 * @thread:  its id, once the callback has begun.
 * @cpu:     of the first.
 * @syscall: the system call that the thread was in, or -1.
 * @user:    the first interrupted user mode.
 * @walking: the thread is in the callback.
 * @run:     which of the profile's runs the ticks are of.
 * @work:    in the thread's list of task work.
 * @profil:  a reference while @work is queued or runs.
 *
 * Ticks are added by the thread's own, while its profile is live. They are taken
 * under @lock of the profile by the thread itself, or by who stops or closes the
 * profile, whom they have been drained for.
 */
struct profil_stack_entry {
	struct task_struct	*task;
	u64			count;
	u64			ip;
	u64			sp;
	u64			sample;
	u64			time_ns;
	u64			last_ns;
	u32			thread;
	u32			cpu;
	s32			syscall;
	bool			user;
	bool			walking;
	u32			run;
	struct callback_head	work;
	struct profil		*profil;
} __aligned(128);

#define PROFIL_STACK_LEFT	((struct task_struct *)1)

/**
 * struct profil_stack_thread - what is known of a thread.
 * @thread: its id; 0: nobody's.
 * @name:   as the stream has it.
 * @last:   its last stack in the stream; NULL until there is memory for it.
 */
struct profil_stack_thread {
	u32				thread;
	char				name[TASK_COMM_LEN];
	struct profil_record_last	*last;
};

/* Threads whose last stacks are remembered, and places that one may have. */
#define PROFIL_STACK_THREADS	64
#define PROFIL_STACK_PROBES	4

/**
 * struct profil_stacks - what a profile needs for stacks.
 * @ended:    nothing is written any more in this run. Changed under @lock of the
 *            profile, like all that follows but @walking and @walker.
 * @run:      number of the current run, or the last one.
 * @nleft:    entries that are left.
 * @stream:   what has been written.
 * @position: bytes of it.
 * @recorded: ticks in it.
 * @ahead:    up to this address the stream's memory has been brought in.
 * @evict:    whom to forget next.
 * @thread:   by id.
 * @bytes:    of a record that is written, and a 0 behind it.
 * @walking:  protects @walker. Taken by trylock only.
 * @walker:   with the rules of earlier walks. Others walk without.
 * @entry:    of threads.
 */
struct profil_stacks {
	bool				ended;
	u32				run;
	u32				nleft;
	struct profil_record_stream	stream;
	u64				position;
	u64				recorded;
	u64				ahead;
	u32				evict;
	struct profil_stack_thread	thread[PROFIL_STACK_THREADS];
	u8				bytes[PROFIL_RECORD_BYTES + 1];
	struct mutex			walking;	/* whose turn it is */
	struct profil_walker		*walker;
	struct profil_stack_entry	entry[PROFIL_STACK_ENTRIES];
};

/* The entries that @task may have one of. */
static __always_inline struct profil_stack_entry *
profil_stack_set(struct profil_stacks *s, const struct task_struct *task)
{
	return &s->entry[PROFIL_STACK_WAYS * hash_ptr(task, PROFIL_STACK_SET_BITS)];
}

/* That of the current thread, or NULL. */
static __always_inline struct profil_stack_entry *
profil_stack_own(struct profil_stack_entry *set)
{
	unsigned int i;

	for (i = 0; i < PROFIL_STACK_WAYS; i++)
		if (READ_ONCE(set[i].task) == current)
			return &set[i];
	return NULL;
}

/* The current thread is walking its stack. */
static inline bool profil_stack_is_walking(struct profil_stacks *s)
{
	struct profil_stack_entry *e =
		s ? profil_stack_own(profil_stack_set(s, current)) : NULL;

	return e && e->walking;
}

struct profil_stacks *profil_stacks_alloc(void);
void profil_stacks_free(struct profil_stacks *s);
void profil_stacks_begin(struct profil_stacks *s);
struct profil_record_last *profil_stack_last_alloc(void);
struct profil_stack_thread *profil_stack_thread(struct profil_stacks *s, u32 id);

#endif /* _PROFIL_STACK_STATE_H */
