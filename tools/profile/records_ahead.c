// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/records_ahead.h"
#include "common/memory.h"
#include "common/regular_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger files, of which three may be read at once, would take much memory. */
#define BYTES_MOST	(64 << 20)

/* Messages are left to the thread that reads the rest of the file. */
static void *read_records(void *context)
{
	struct records_ahead *ahead = context;
	struct profile_file file = { .path = ahead->path,
				     .fd = regular_file_open(ahead->path) };

	if (file.fd < 0)
		return NULL;
	if (profile_file_look(&file) && file.size <= BYTES_MOST)
		stack_records_read(&ahead->records, &file);
	close(file.fd);
	return NULL;
}

void records_ahead_begin(struct records_ahead *ahead, const char *path)
{
	*ahead = (struct records_ahead){ .path = copy_text(path) };
	worker_begin(&ahead->worker, read_records, ahead);
}

struct stack_records records_ahead_end(struct records_ahead *ahead)
{
	worker_end(&ahead->worker);
	free(ahead->path);
	return ahead->records;
}
