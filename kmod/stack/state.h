/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a profile with stacks, and calls between the files of stack/. */
#ifndef _PROFIL_STACK_STATE_H
#define _PROFIL_STACK_STATE_H

#include <linux/gfp.h>
#include <linux/kref.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>
#include <linux/profil.h>

#include "profile.h"
#include "stack/encoder.h"
#include "stack/shared_rules.h"
#include "unwind/unwind.h"

struct profil_unwinder;
struct pt_regs;

/*
 * For memory that a thread needs on its way to user mode. If there is none, for example at the
 * limit of a memory cgroup, stacks are lost or take longer, but no process is killed for it, and
 * none looks for memory for long at each tick. The same functions serve a start, which fails.
 */
#define PROFIL_GFP_OPTIONAL	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)
/*
 * Callbacks, or walks, that do not look for it after there was none: a look takes long. There are
 * fewer callbacks after the first looks, as without memory they may have no stack.
 */
#define PROFIL_STACKS_POOR	64U

/*
 * Entries are in sets; a thread has at most one entry, in one of its sets. After a tick
 * in the kernel a thread may stay there for ever. So such ticks may use only the first
 * PROFIL_STACKS_WAYS_SYSTEM entries of a set.
 *
 * A thread that is preempted keeps its entry until it runs again. So a process with many
 * threads gets more entries: each level has twice as many sets as the one below, and a
 * thread has one set in each. Levels are added at the start and in callbacks while
 * there are fewer than PROFIL_STACKS_PER_THREAD entries for each thread.
 */
#define PROFIL_STACKS_SETS_BITS		6
#define PROFIL_STACKS_WAYS		4
#define PROFIL_STACKS_WAYS_SYSTEM	3
#define PROFIL_STACKS_LEVELS		4
#define PROFIL_STACKS_PER_THREAD	4
/* Entries of a level, and of all levels below it. */
#define PROFIL_STACKS_ENTRIES(level)	(PROFIL_STACKS_WAYS << (PROFIL_STACKS_SETS_BITS + (level)))
#define PROFIL_STACKS_BELOW(level)	(PROFIL_STACKS_ENTRIES(level) - PROFIL_STACKS_ENTRIES(0))

/**
 * struct profil_stacks_entry - ticks of a thread that wait for its stack.
 * @task:    the thread, only compared, while its callback is queued or runs; NULL: free.
 *           Ticks take free entries without @lock of the profile.
 * @count:   ticks of the current run; 0: none, and only @time_ns has a meaning.
 * @kernel:  the first tick interrupted the kernel.
 * @ip:      user pc of all ticks.
 * @sp:      user stack pointer of all ticks.
 * @sample:  position of the first tick in the sample array.
 * @time_ns: time of the first tick; 0: not taken, so use the current time. 0 in an entry
 *           without ticks.
 * @last_ns: time of the last tick, if @count is not 1.
 * @thread:  the thread's id, once the callback has begun.
 * @cpu:     CPU of the first tick.
 * @syscall: with @kernel: number of the current system call, or -1.
 * @walking: the thread is in the callback.
 * @work:    in the thread's list of task work.
 * @profil:  a reference while @work is queued or runs.
 * @waits:   the thread has waited while it walked: its samples of waits are written at the
 *           end of the callback.
 * @wait:    the samples are of waits, and these: see profil_wait_load(). NULL: ticks.
 * @runnable: with @wait: of waits for a CPU.
 * @more:    with @wait: there are samples of both kinds, and these are the first.
 * @unused:  makes the length a power of two.
 *
 * Ticks of the thread add to it while the profile is live. The thread takes the ticks
 * under @lock of the profile; once ticks are drained, a stop may take them.
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
	bool			waits;
	struct callback_head	work;
	struct profil		*profil;
	struct profil_wait	*wait;
	bool			runnable;
	bool			more;
	u64			unused[2];
};

/**
 * struct profil_wait_samples - samples of waits of one kind.
 * @count:    their number.
 * @first_ns: time of the first one; without a meaning if there is none, like @last_ns.
 * @last_ns:  time of the last one.
 */
struct profil_wait_samples {
	u32	count;
	u64	first_ns;
	u64	last_ns;
};

/**
 * struct profil_wait - a thread that does not run, or whose waits are to be recorded.
 * @task:     the thread; only it and a stop dereference this, others compare; NULL: free.
 * @next:     while it waits: how long it will have waited in all at its next sample; 0: it
 *            runs.
 * @ran:      its CPU time when it began to wait; with @running, how often it had slept.
 * @runnable: while it waits: it waits for a CPU.
 * @running:  while it waits: it was on a CPU at the start, so perhaps it runs.
 * @held:     it has samples without a record, or its callback is queued or runs. The
 *            callback is queued then, unless the thread walks its stack for ticks.
 * @queued:   its callback is queued or runs.
 * @walking:  its callback runs.
 * @of:       samples without a record: of sleep, and of waits for a CPU.
 * @ip:       user pc at the first of these, with @held.
 * @sp:       user stack pointer then.
 * @syscall:  number of the system call then, or -1.
 * @id:       the thread's id, outside of all namespaces.
 * @work:     in the thread's list of task work, with @queued.
 * @profil:   a reference, with @queued.
 *
 * See waits.c for who changes it when.
 */
struct profil_wait {
	struct task_struct		*task;
	u64				next;
	u64				ran;
	bool				runnable;
	bool				running;
	bool				held;
	bool				queued;
	bool				walking;
	struct profil_wait_samples	of[2];
	u64				ip;
	u64				sp;
	s32				syscall;
	u32				id;
	struct callback_head		work;
	struct profil			*profil;
};

/*
 * Waits are in sets as well, in levels of which each has twice as many. Levels are added,
 * never removed, while there are fewer than PROFIL_WAITS_PER_THREAD for each thread. If
 * too many threads share a set even so, there may be twice as many.
 */
#define PROFIL_WAITS_SETS_BITS		3
#define PROFIL_WAITS_WAYS		4
#define PROFIL_WAITS_LEVELS		17
#define PROFIL_WAITS_PER_THREAD		4
/* Waits of a level, and of all levels below it. */
#define PROFIL_WAITS_ENTRIES(level)	(PROFIL_WAITS_WAYS << (PROFIL_WAITS_SETS_BITS + (level)))
#define PROFIL_WAITS_BELOW(level)	(PROFIL_WAITS_ENTRIES(level) - PROFIL_WAITS_ENTRIES(0))

/**
 * struct profil_stacks_thread - state of a thread in the stream.
 * @thread: its id; 0: free.
 * @name:   its name in the stream.
 * @last:   its last stack in the stream; NULL: not allocated yet, so records are longer.
 * @record: number of the record that has @last; 0: none.
 */
struct profil_stacks_thread {
	u32				thread;
	char				name[TASK_COMM_LEN] __aligned(8);
	struct profil_stack_last	*last;
	u64				record;
};

/* Zeros behind a record, if there is room: so it is written in words. */
#define PROFIL_STACKS_ZEROS	8

/* Threads with state in the stream. */
#define PROFIL_STACKS_THREADS	64

/**
 * struct profil_stacks_writer - what writing records needs.
 * @thread: by id.
 * @bytes:  a record, and zeros behind it.
 */
struct profil_stacks_writer {
	struct profil_stacks_thread	thread[PROFIL_STACKS_THREADS];
	u8				bytes[PROFIL_STACK_RECORD_BYTES + PROFIL_STACKS_ZEROS];
};

/*
 * A fork child, or a start with PROFIL_LAZY and at most so many threads, has no writer until
 * the first walk, and no levels of entries until it has more threads or PROFIL_STACKS_SOON
 * @records. Until then ticks use so many entries, for which 1 KiB is enough, or as many as
 * there are CPUs: then each can have one.
 */
#define PROFIL_STACKS_EARLY	5U
#define PROFIL_STACKS_SOON	64U

/**
 * struct profil_stacks - state of a profile with stacks.
 * @lock:     the profile's. Protects all but @full, @poor, @pause, @crowded, @collided,
 *            @walkers, @walking, @unwinder, free entries and @waits.
 * @ended:    nothing is written any more in this run.
 * @full:     a thread is to look whether more memory is needed: a tick has found no free
 *            entry, the stream has met another thread, there is no level, or @lacking.
 * @lacking:  a thread with a record that has no @last; NULL: there is none.
 * @poor:     number of callbacks that do not look for memory, although @full.
 * @pause:    what that was after the last look; 0: it found all.
 * @run:      number of the current run, or the last one.
 * @stream:   state of the encoder.
 * @clock_offset: the process's CLOCK_MONOTONIC, in its time namespace, minus the kernel's, at
 *            the first record of the run.
 * @position: bytes of the stream.
 * @recorded: ticks in the stream.
 * @records:  number of records of all runs with callers, of threads with a last stack.
 * @writer:   NULL: not allocated.
 * @walkers:  threads that walk their stacks for ticks.
 * @walking:  bit 0 protects @unwinder: a lock that nobody waits for.
 * @unwinder: keeps rules of earlier walks; NULL in a fork child until its first walk. A
 *            thread that cannot lock @walking uses its own.
 * @crowded:  there are more threads than there is room for; a thread has not looked yet.
 * @collided: a wait has found no free place since a thread last looked.
 * @unnoted:  threads that the start has found no place for.
 * @started:  local_clock() at the start of the run.
 * @until:    the same at its end.
 * @nwaits:   number of levels of waits.
 * @waits:    waits of threads, by level.
 * @level:    ticks of threads; NULL: not allocated, like those above it.
 * @nearly:   number of entries of @early; 0: the start has allocated a level.
 * @early:    ticks of threads until there is a level.
 */
struct profil_stacks {
	raw_spinlock_t			*lock;
	bool				ended;
	bool				full;
	u32				run;
	struct profil_stack_encoder	stream;
	s64				clock_offset;
	u64				position;
	u64				recorded;
	u64				records;
	struct profil_stacks_writer	*writer;
	struct profil_stacks_thread	*lacking;
	atomic_t			walkers;
	unsigned long			walking;
	struct profil_unwinder		*unwinder;
	bool				crowded;
	bool				collided;
	unsigned int			unnoted;
	u32				poor;
	u32				pause;
	u64				started;
	u64				until;
	unsigned int			nwaits;
	struct profil_wait		*waits[PROFIL_WAITS_LEVELS];
	struct profil_stacks_entry	*level[PROFIL_STACKS_LEVELS];
	unsigned int			nearly;
	struct profil_stacks_entry	early[];
};

/**
 * struct profil_table - the objects of a process, as it has registered them.
 * @ref:     held by profiles and walks.
 * @objects: all of @object; each table of a profile has another generation.
 * @sharer:  who has registered them.
 * @nfiles:  number of @file.
 * @file:    behind @object, of the first objects: a number for the file and the place in it; 0:
 *           its rules are not shared.
 * @object:  by ascending address, without overlaps.
 */
struct profil_table {
	struct kref			ref;
	struct profil_unwind_objects	objects;
	struct profil_sharer		sharer;
	u64				*file;
	u32				nfiles;
	struct profil_object		object[];
};

/**
 * struct profil_walk_from - the start of a walk.
 * @table:  the objects; NULL: none.
 * @ip:     pc of the innermost frame.
 * @sp:     stack pointer of the innermost frame.
 * @thread: id of the thread.
 */
struct profil_walk_from {
	struct profil_table	*table;
	u64			ip;
	u64			sp;
	u32			thread;
};

/**
 * struct profil_walked - the result of a walk.
 * @nframes: from 1 to PROFIL_STACK_FRAMES.
 * @flags:   PROFIL_STACK_GUESSED, MOVED.
 * @end:     enum profil_stack_end.
 * @left:    number of outermost frames that are in @trail and not in @frame.
 * @record:  number of the thread's record that has those @left frames; 0: none.
 * @frame:   from the innermost to the outermost.
 * @trail:   has the outermost frames of the stack; NULL: there is none.
 */
struct profil_walked {
	u32			nframes;
	u32			flags;
	u32			end;
	u32			left;
	u64			*frame;
	u64			record;
	struct profil_trail	*trail;
};

/**
 * struct profil_stack_look - a walk of a thread's stack.
 * @run:    the run of its ticks.
 * @from:   the place of its ticks.
 * @walked: the result.
 */
struct profil_stack_look {
	u32			run;
	struct profil_walk_from	from;
	struct profil_walked	walked;
};

/*
 * Fill in @e with samples of one kind that it is for. False: there are none. The caller
 * may take them: see is_ours() in stream.c.
 */
static __always_inline bool profil_wait_load(struct profil_stacks_entry *e)
{
	const struct profil_wait *w = e->wait;
	const struct profil_wait_samples *of = &w->of[!w->of[0].count];

	if (READ_ONCE(w->task) != e->task || !of->count)
		return false;
	e->runnable = of != w->of;
	e->more = !e->runnable && w->of[1].count;
	e->count = of->count;
	e->time_ns = of->first_ns;
	e->last_ns = of->last_ns;
	return true;
}

void profil_stack_replace_thread(struct profil_stacks *s, struct profil_stacks_thread *thread,
				 u32 id);
void profil_stack_grow(struct profil_stacks *s);

/* The state of thread @id. It replaces that of another thread in the same place. */
static __always_inline struct profil_stacks_thread *
profil_stack_thread(struct profil_stacks *s, u32 id)
{
	struct profil_stacks_thread *thread = &s->writer->thread[id % PROFIL_STACKS_THREADS];

	lockdep_assert_held(s->lock);
	if (unlikely(thread->thread != id))
		profil_stack_replace_thread(s, thread, id);
	return thread;
}

struct profil_unwinder *profil_walk_alloc(struct profil *p, bool keep);
void profil_walk_free(struct profil_unwinder *unwinder);
void profil_walk(struct profil_unwinder *unwinder, const struct profil_walk_from *from,
		 struct pt_regs *regs, struct profil_walked *walked);

int profil_stream_write(struct profil *p, struct profil_stacks_entry *e,
			struct profil_stack_look *look, enum profil_patience patience);
u32 profil_stream_thread_id(const struct profil_stacks_entry *e);
int profil_stream_settle(struct profil *p, struct profil_stacks_entry *e,
			 struct profil_stack_look *look);
void profil_stream_drop_entry(struct profil *p, struct profil_stacks_entry *e);

void profil_capture_write(struct profil *p, struct profil_wait *w);
int profil_capture_settle_entry(struct profil *p, struct profil_stacks_entry *e);
int profil_capture_settle(struct profil *p);
bool profil_capture_is_walking(struct profil *p, const struct task_struct *t);
bool profil_capture_takes_waits(struct profil *p, const struct task_struct *t);

int profil_waits_prepare(struct profil *p, const struct profil_run *run);
void profil_waits_free(struct profil_stacks *s);
void profil_waits_write(struct profil *p);
void profil_waits_drop(struct profil *p);
bool profil_waits_is_walking(struct profil *p);
int profil_waits_settle(struct profil *p);
bool profil_wait_registers(const struct profil *p, struct task_struct *t,
			   struct pt_regs *regs);
bool profil_wait_is_on(const struct profil_stacks_entry *e);

void profil_object_table_release(struct kref *ref);

/* Drop a reference, unless @table is NULL; not in a tick. */
static inline void profil_object_table_put(struct profil_table *table)
{
	profil_may_sleep();
	if (table)
		kref_put(&table->ref, profil_object_table_release);
}

#endif /* _PROFIL_STACK_STATE_H */
