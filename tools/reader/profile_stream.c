// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The stream has no holes, so it ends at the first one. It is copied, because the
 * process of the file may cut it at any time.
 */
#include "reader/profile_stream.h"
#include "common/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static size_t stream_size(const struct profile_file *file,
			  const struct profile_header *header)
{
	uint64_t begin = header->stacks_offset, size = header->stacks_capacity;
	off_t hole;

	if (!begin || begin >= file->size)
		return 0;
	hole = lseek(file->fd, (off_t)begin, SEEK_HOLE);
	/* The file was cut meanwhile. Its old room could be larger than memory. */
	if (hole < 0 && errno == ENXIO)
		return 0;
	if (hole >= (off_t)begin && (uint64_t)hole - begin < size)
		size = (uint64_t)hole - begin;
	return size < file->size - begin ? size : file->size - begin;
}

static void *read_stream(const struct profile_file *file,
			 const struct profile_header *header, size_t *size)
{
	void *stream;

	*size = stream_size(file, header);
	stream = allocate(*size);
	*size = profile_file_read(file, stream, *size, header->stacks_offset);
	return stream;
}

/* If a cut has moved the stream meanwhile, the header says so: read it again. */
void *profile_stream_read(const struct profile_file *file, size_t *size)
{
	struct profile_header now = file->header;
	void *stream = read_stream(file, &now, size);

	if (profile_file_read(file, &now, sizeof(now), 0) == sizeof(now) &&
	    now.version == file->header.version &&
	    now.stacks_offset < file->header.stacks_offset &&
	    now.stacks_offset >= file->header.samples_offset) {
		free(stream);
		stream = read_stream(file, &now, size);
	}
	if (*size)
		return stream;
	free(stream);
	return NULL;
}
