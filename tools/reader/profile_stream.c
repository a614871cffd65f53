// SPDX-License-Identifier: LGPL-2.1-or-later
/* The stream has no holes, so it ends at the first one. */
#include "reader/profile_stream.h"
#include "common/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static size_t stream_size(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t begin = header->stacks_offset, size = header->stacks_capacity;
	off_t hole;

	if (!begin || begin >= file->size)
		return 0;
	hole = lseek(file->fd, (off_t)begin, SEEK_HOLE);
	/* The file has become shorter. Its old room could be larger than memory. */
	if (hole < 0 && errno == ENXIO)
		return 0;
	if (hole >= (off_t)begin && (uint64_t)hole - begin < size)
		size = (uint64_t)hole - begin;
	return size < file->size - begin ? size : file->size - begin;
}

bool profile_stream_any(const struct profile_file *file)
{
	uint8_t first = 0;

	return file->header.stacks_offset && file->header.stacks_capacity &&
	       profile_file_read(file, &first, 1, file->header.stacks_offset) && first;
}

size_t profile_stream_part(const struct profile_file *file, void *buffer, size_t size,
			   uint64_t from)
{
	const struct profile_header *header = &file->header;

	if (!header->stacks_offset || from >= header->stacks_capacity)
		return 0;
	if (size > header->stacks_capacity - from)
		size = header->stacks_capacity - from;
	return profile_file_read(file, buffer, size, header->stacks_offset + from);
}

void *profile_stream_read(const struct profile_file *file, size_t *size)
{
	void *stream;

	*size = stream_size(file);
	stream = resize(NULL, *size);
	*size = profile_file_read(file, stream, *size, file->header.stacks_offset);
	if (*size)
		return stream;
	free(stream);
	return NULL;
}
