// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reader/profile_extents.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool profile_extents_next(const struct profile_file *file, uint64_t limit,
			  uint64_t *from, uint64_t *to)
{
	off_t data, hole;

	if (*from >= limit)
		return false;
	data = lseek(file->fd, (off_t)*from, SEEK_DATA);
	if (data < 0 && errno == ENXIO)
		return false;
	if (data >= 0)
		*from = (uint64_t)data;
	if (*from >= limit)
		return false;
	hole = lseek(file->fd, (off_t)*from, SEEK_HOLE);
	*to = hole > (off_t)*from && (uint64_t)hole < limit ? (uint64_t)hole :
							      limit;
	return true;
}

/* The size without the zeroes at the end. Most bytes are zero, so pieces come first. */
static size_t used_bytes(const char *bytes, size_t size)
{
	static const char zeroes[128];

	while (size >= sizeof(zeroes) &&
	       !memcmp(bytes + size - sizeof(zeroes), zeroes, sizeof(zeroes)))
		size -= sizeof(zeroes);
	while (size && !bytes[size - 1])
		size--;
	return size;
}

uint64_t profile_extents_used(const struct profile_file *file, uint64_t from,
			      uint64_t to)
{
	/* Large enough for what the kernel prepares for the samples of a short run. */
	static char bytes[262144];

	while (from < to) {
		size_t size = to - from < sizeof(bytes) ? to - from : sizeof(bytes);
		size_t used = used_bytes(bytes, profile_file_read(file, bytes, size,
								  to - size));

		if (used)
			return to - size + used;
		to -= size;
	}
	return 0;
}

uint64_t profile_extents_end(const struct profile_file *file, uint64_t from,
			     uint64_t limit)
{
	uint64_t to, end = from;

	for (; profile_extents_next(file, limit, &from, &to); from = to) {
		uint64_t used = profile_extents_used(file, from, to);

		if (used)
			end = used;
	}
	return end;
}
