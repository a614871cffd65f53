/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the stack records and samples of a file to stacks. */
#ifndef STACK_LOADER_H
#define STACK_LOADER_H

#include "profile/pc_counts.h"
#include "profile/process_objects.h"
#include "profile/stack_records.h"

struct stack_loader {
	struct profile		*profile;
	struct process_objects	*objects;
	const struct profile_header *header;
	struct stack_records	records;
	size_t			next, next_wait;	/* indexes of the next records */
	uint32_t		process;
	uint32_t		kernel[KINDS];	/* object [kernel] and others, + 1; or 0 */
	struct resolved		*resolved;	/* by node of the records */
	struct thread_seen	*threads;	/* found last */
	struct pc_counts	wanted;		/* samples that records still take, + 1 */
	uint64_t		pc, pc_wanted;	/* of the last record: more of them */
	uint64_t		single;		/* samples without a record */
	struct pc_counts	together;	/* by PC: their moments in a window, + 1 */
	uint64_t		window, window_changes;
};

/* Takes over the records of the file. Returns false if it has no stacks. */
bool stack_loader_begin(struct stack_loader *loader, struct process_objects *objects,
			uint32_t process, struct stack_records *records);

/* The first sample of the next record; UINT64_MAX if there is none. */
uint64_t stack_loader_next(const struct stack_loader *loader);

/* Takes that record. The objects in memory must be those of its time. */
void stack_loader_apply(struct stack_loader *loader);

/* Takes sample number @index. */
void stack_loader_sample(struct stack_loader *loader, uint64_t index,
			 uint64_t pc);

/* Whether a record has the sample that the array lost at @index. */
bool stack_loader_lost(struct stack_loader *loader, uint64_t index);

/* Ends. Returns how many samples of records were not in the array. */
uint64_t stack_loader_end(struct stack_loader *loader);

#endif
