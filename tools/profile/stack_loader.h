/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a file's stack records, and the samples beside them, to stacks. */
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
	size_t			next;		/* record that has not come yet */
	uint32_t		process;
	uint32_t		kernel;		/* object of time in the kernel; from 1 */
	struct resolved		*resolved;	/* of each raw node */
	struct pc_counts	wanted;		/* samples of records, and 1 more */
	uint64_t		single;		/* samples without a record */
	struct pc_counts	together;	/* their moments in a window, from 1 */
	uint64_t		window, window_changes;
};

/* False: the file has no stacks. */
bool stack_loader_begin(struct stack_loader *loader,
			struct process_objects *objects, uint32_t process);

/* The sample that the next record begins with; UINT64_MAX: there is none. */
uint64_t stack_loader_next(const struct stack_loader *loader);

/* Takes that record: it is of the objects that are now in memory. */
void stack_loader_apply(struct stack_loader *loader);

/* Takes sample number @index. */
void stack_loader_sample(struct stack_loader *loader, uint64_t index,
			 uint64_t pc);

/* Whether a record has what the array has lost at @index. */
bool stack_loader_lost(struct stack_loader *loader, uint64_t index);

/* After the last one: how many samples of records were not in the array. */
uint64_t stack_loader_end(struct stack_loader *loader);

#endif
