/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of a file's stack stream, with PCs that are not looked up yet. */
#ifndef STACK_RECORDS_H
#define STACK_RECORDS_H

#include "profile/stacks.h"
#include "reader/profile_file.h"

struct stack_record {
	uint64_t	sample;		/* index of its first sample */
	uint64_t	time_ns;	/* CLOCK_MONOTONIC */
	uint64_t	span_ns;
	uint32_t	samples;
	uint32_t	thread;
	uint32_t	node;
	uint32_t	flags;		/* STACK_* */
};

/* The object of a node: addresses are PCs, or as in profile.h. */
enum { RAW_PC, RAW_MORE, RAW_KERNEL, RAW_WAITING, RAW_RUNNABLE };

struct thread_name {
	uint32_t	thread;
	char		*name;		/* cleaned */
};

struct stack_records {
	struct stack_record	*list;	/* by sample */
	size_t			n, room;
	struct stack_record	*waits;	/* the same: at the next tick's sample */
	size_t			nwaits, waits_room;
	uint64_t		samples, waited;	/* their sums */
	struct stack_node	*nodes;	/* as in struct stacks */
	size_t			nnodes, nodes_room;
	uint64_t		*hashes;	/* of all frames up to each */
	size_t			hashes_room;
	struct hash_set		node_set;	/* finds them by hash */
	struct thread_name	*names;	/* in order */
	size_t			nnames, names_room;
	bool			read;
	bool			damaged;	/* only so many bytes could be read: */
	size_t			usable, size;
};

/* Prints no message, so that it may run in a thread. */
void stack_records_read(struct stack_records *records, const struct profile_file *file);
void stack_records_free(struct stack_records *records);

#endif
