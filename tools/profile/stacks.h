/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call stacks of a profile, as a tree of places: who shares callers shares
 * nodes, of whatever process. Profiles of files without stacks have none of this.
 */
#ifndef STACKS_H
#define STACKS_H

#include "common/hash_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A place under its callers. That of a caller is within its call instruction.
 * Time in the kernel is an innermost node in an object of its own, one whose
 * `kernel` is set, below the place that the kernel was entered from.
 */
struct stack_node {
	uint32_t	parent;		/* 0: it has no caller */
	uint32_t	object;		/* of the profile; of the root: UINT32_MAX */
	uint64_t	address;	/* as in the object's file */
};

/* One of a process's threads, or what is not known to be of any (id 0). */
struct thread {
	uint32_t	process;	/* of the profile */
	uint32_t	id;		/* as gettid() */
	char		*name;		/* clean; the last one; NULL: not known */
	uint64_t	samples;
	uint64_t	ns;		/* of CPU time */
};

/* Samples of one stack in one thread. */
struct stack_count {
	uint32_t	node;		/* the innermost one */
	uint32_t	thread;		/* index in threads */
	uint64_t	samples;
	uint64_t	ns;		/* of CPU time */
};

/* Why a stack may not be all there was; 0: it is. */
enum {
	STACK_NONE	= 1,	/* no more is known than the place */
	STACK_CUT	= 2,	/* its outermost callers are not known */
	STACK_GUESSED	= 4,	/* some caller was found without unwind tables */
};

/*
 * Samples of one stack that follow each other in one thread; where it stayed in
 * the kernel, those of other threads may lie between.
 */
struct moment {
	uint64_t	time_ns;	/* of the first, since 1970 */
	uint64_t	span_ns;	/* from the first to the last */
	uint32_t	node;
	uint32_t	thread;
	uint32_t	samples;
	uint32_t	flags;		/* STACK_* */
};

struct stacks {
	struct stack_node	*nodes;		/* 0 is the root; callers come first */
	size_t			nnodes, nodes_room;
	struct thread		*threads;
	size_t			nthreads, threads_room;
	struct stack_count	*counts;	/* by node, then thread */
	size_t			ncounts, counts_room;
	struct moment		*moments;	/* by time */
	size_t			nmoments, moments_room;
	struct hash_set		node_set, thread_set;	/* stacks.c's */
};

/* The node of @address in @object below @parent, which is made if there is none. */
uint32_t stacks_node(struct stacks *stacks, uint32_t parent, uint32_t object,
		     uint64_t address);

/* Thread @id of @process, the same way. */
uint32_t stacks_thread(struct stacks *stacks, uint32_t process, uint32_t id);

void stacks_count(struct stacks *stacks, const struct stack_count *count);
void stacks_moment(struct stacks *stacks, const struct moment *moment);

/* After the last one: sorts counts and moments, and merges counts. */
void stacks_finish(struct stacks *stacks);

/* The count of a stack in a thread; NULL: it has none. */
struct stack_count *stacks_find_count(const struct stacks *stacks,
				      uint32_t node, uint32_t thread);
void stacks_free(struct stacks *stacks);

#endif
