// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile/records_ahead.h"
#include "common/memory.h"
#include "common/regular_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger files, of which three may be read at once, would take much memory. */
#define BYTES_MOST	(64 << 20)
/* A record's frames and little else: a default stack may be all memory that is left. */
#define STACK_BYTES	(256 << 10)

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
	pthread_attr_t small;

	*ahead = (struct records_ahead){ .path = format_text("%s", path) };
	if (pthread_attr_init(&small))
		return;
	pthread_attr_setstacksize(&small, STACK_BYTES);
	ahead->runs = !pthread_create(&ahead->thread, &small, read_records, ahead);
	pthread_attr_destroy(&small);
}

struct stack_records records_ahead_end(struct records_ahead *ahead)
{
	struct stack_records records;

	if (ahead->runs)
		pthread_join(ahead->thread, NULL);
	free(ahead->path);
	records = ahead->records;
	*ahead = (struct records_ahead){ .runs = false };
	return records;
}
