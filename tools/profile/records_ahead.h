/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the stacks of the next file in a thread, while those of another one are added. */
#ifndef RECORDS_AHEAD_H
#define RECORDS_AHEAD_H

#include "profile/stack_records.h"
#include "profile/worker.h"

struct records_ahead {
	struct worker		worker;
	char			*path;
	struct stack_records	records;
};

/* Begins to read the file @path, if it is not too large. */
void records_ahead_begin(struct records_ahead *ahead, const char *path);

/* Waits, and returns the records. `read` is false if they were not read. */
struct stack_records records_ahead_end(struct records_ahead *ahead);

#endif
