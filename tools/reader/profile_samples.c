// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reader/profile_samples.h"
#include "common/memory.h"
#include "reader/profile_extents.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK	65536	/* samples read at once */

/* Widens 32-bit PCs in place, from the end. */
static void widen(uint64_t *pcs, size_t n)
{
	const char *narrow = (const char *)pcs;

	while (n--) {
		uint32_t pc;

		memcpy(&pc, narrow + n * sizeof(pc), sizeof(pc));
		pcs[n] = pc;
	}
}

/* The end of the room for samples. */
static uint64_t samples_limit(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t limit;

	if (!header->stacks_offset)
		return file->size;
	limit = header->samples_offset + header->capacity * header->sample_width;
	return limit < file->size ? limit : file->size;
}

static void visit_extent(const struct profile_file *file, uint64_t *pcs,
			 uint64_t from, uint64_t to,
			 profile_samples_visitor *visit, void *context)
{
	uint32_t width = file->header.sample_width;
	uint64_t start = file->header.samples_offset;

	from -= (from - start) % width;
	while (from + width <= to) {
		uint64_t bytes = to - from, n;

		if (bytes > CHUNK * (uint64_t)width)
			bytes = CHUNK * (uint64_t)width;
		n = profile_file_read(file, pcs, bytes, from) / width;
		if (!n)
			return;
		if (width == 4)
			widen(pcs, n);
		visit(context, pcs, n, (from - start) / width);
		from += n * width;
	}
}

void profile_samples_visit(const struct profile_file *file,
			   profile_samples_visitor *visit, void *context)
{
	uint64_t *pcs = resize(NULL, CHUNK * sizeof(*pcs));
	uint64_t from = file->header.samples_offset, to;
	uint64_t limit = samples_limit(file);

	for (; profile_extents_next(file, limit, &from, &to); from = to)
		visit_extent(file, pcs, from, to, visit, context);
	free(pcs);
}

size_t profile_samples_read(const struct profile_file *file, uint64_t *pcs, size_t n,
			    uint64_t index)
{
	uint64_t start = file->header.samples_offset, limit = samples_limit(file);
	uint32_t width = file->header.sample_width;
	uint64_t most = limit > start ? (limit - start) / width : 0;

	if (index >= most)
		return 0;
	if (n > most - index)
		n = most - index;
	n = profile_file_read(file, pcs, n * width, start + index * width) / width;
	if (width == 4)
		widen(pcs, n);
	return n;
}

uint64_t profile_samples_end(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t end;

	if (header->samples_offset > file->size ||
	    header->samples_offset < sizeof(*header))
		return 0;
	end = profile_extents_end(file, header->samples_offset, samples_limit(file));
	/* A sample whose last byte is 0 is a sample. */
	end += -(end - header->samples_offset) % header->sample_width;
	/* A file that was cut may end in the middle of a sample. */
	return end < file->size ? end : file->size;
}
