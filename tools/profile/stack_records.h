/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of a file's stack stream, before it is known what is where. */
#ifndef STACK_RECORDS_H
#define STACK_RECORDS_H

#include "profile/stacks.h"
#include "reader/profile_file.h"

struct stack_record {
	uint64_t	sample;		/* number of its first one */
	uint64_t	time_ns;	/* CLOCK_MONOTONIC */
	uint64_t	span_ns;
	uint32_t	samples;
	uint32_t	thread;
	uint32_t	node;		/* of raw */
	uint32_t	flags;		/* STACK_* */
};

/* Whose addresses the nodes of raw have. */
enum { RAW_PC, RAW_KERNEL };

struct stack_records {
	struct stack_record	*list;	/* by sample */
	size_t			n, room;
	struct stacks		raw;	/* nodes only */
	uint32_t		process;	/* whose threads get names */
};

/* Reads those of @file, whose process is @process of @stacks. */
void stack_records_read(struct stack_records *records,
			const struct profile_file *file, struct stacks *stacks,
			uint32_t process);
void stack_records_free(struct stack_records *records);

#endif
