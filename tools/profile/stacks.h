/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call stacks of a profile, as a tree of places. Stacks with the same callers share
 * nodes, also across processes. A sample without a stack is a stack of one place.
 */
#ifndef STACKS_H
#define STACKS_H

#include "common/hash_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a thread did at a sample: it ran, or waited for something, or for a CPU. */
enum stack_kind { KIND_RUNNING, KIND_WAITING, KIND_RUNNABLE, KINDS };

/*
 * A place below its callers. The address of a caller is within its call instruction.
 * Time in the kernel is an innermost node in an object whose `kernel` is set, below the
 * place that entered the kernel. So is a wait: `kind` of its object says which.
 */
struct stack_node {
	uint32_t	parent;		/* its caller; 0: none */
	uint32_t	object;		/* of the profile; the root's: UINT32_MAX */
	uint64_t	address;	/* as in the object's file */
};

/* A thread of a process. Thread 0 has the samples whose thread is unknown. */
struct thread {
	uint32_t	process;	/* of the profile */
	uint32_t	id;		/* of gettid() */
	char		*name;		/* its last name, cleaned; NULL: unknown */
	uint64_t	samples;
	uint64_t	ns;		/* of its samples */
	uint64_t	kind_ns[KINDS];	/* waits.c's */
};

/* Samples of one stack in one thread. */
struct stack_count {
	uint32_t	node;		/* the innermost one */
	uint32_t	thread;		/* index in threads */
	uint64_t	samples;
	uint64_t	ns;		/* of its samples */
};

/* How a stack may be incomplete; 0 if it is complete. */
enum {
	STACK_NONE	= 1,	/* only the place is known */
	STACK_CUT	= 2,	/* its outermost callers are unknown */
	STACK_GUESSED	= 4,	/* a caller was found without unwind tables */
	STACK_DEEP	= 8,	/* cut because it has too many frames */
	STACK_FLAGS	= 16,
};

/*
 * Consecutive samples of one stack in one thread. If the thread stayed in the kernel,
 * samples of other threads may lie between them. There are many: without padding.
 */
struct moment {
	uint64_t	time_ns;	/* of the first, since 1970 */
	uint64_t	span_ns;	/* from the first to the last */
	uint32_t	node;
	uint32_t	thread : 28;
	uint32_t	flags : 4;	/* STACK_* */
	uint32_t	samples;
} __attribute__((packed, aligned(4)));

struct stacks {
	struct stack_node	*nodes;		/* 0 is the root; callers come first */
	size_t			nnodes, nodes_room;
	struct thread		*threads;
	size_t			nthreads, threads_room;
	struct stack_count	*counts;	/* by node, then thread */
	size_t			ncounts, counts_room;
	size_t			nmerged;	/* counts when they were merged last */
	struct moment		*moments;	/* see stacks_sort_moments() */
	size_t			nmoments, moments_room;
	bool			sorted;
	bool			timeless;	/* moments are not kept: they take much memory */
	uint64_t		by_flags[STACK_FLAGS];	/* samples in moments that count */
	struct hash_set		node_set, thread_set;	/* stacks.c's */
};

/* The node of @address in @object below @parent; a new one if necessary. */
uint32_t stacks_node(struct stacks *stacks, uint32_t parent, uint32_t object,
		     uint64_t address);

/* Thread @id of @process; a new one if necessary. */
uint32_t stacks_thread(struct stacks *stacks, uint32_t process, uint32_t id);

/*
 * Counts samples of a stack. Returns the index of its count: if @last is that, or any
 * other one, there is less to merge.
 */
uint32_t stacks_count(struct stacks *stacks, uint32_t node, uint32_t thread,
		      uint64_t samples, uint32_t last);

/* The same for a moment, which is kept unless @stacks->timeless. */
uint32_t stacks_moment(struct stacks *stacks, const struct moment *moment, uint32_t last);

/* After the last count: sorts and merges them. */
void stacks_merge_counts(struct stacks *stacks);

/* After a change of the moments, which have all samples: counts them again. */
void stacks_count_moments(struct stacks *stacks);

/* Sorts the moments by time, if they are not sorted yet. */
void stacks_sort_moments(struct stacks *stacks);

/* The count of a stack in a thread, or NULL. */
struct stack_count *stacks_find_count(const struct stacks *stacks,
				      uint32_t node, uint32_t thread);
void stacks_free(struct stacks *stacks);

#endif
