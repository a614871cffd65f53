// SPDX-License-Identifier: LGPL-2.1-or-later
/* The rules for readers of <libprofil/profile_format.h>, in its order. */
#include "reader/profile_header.h"
#include "common/message.h"

#include <stddef.h>
#include <string.h>

static bool refuse(const char *path, const char *why)
{
	warn("%s: %s", path, why);
	return false;
}

static bool can_be_read(const struct profile_header *header, const char *path)
{
	if (memcmp(header->magic, PROFILE_MAGIC, sizeof(header->magic)))
		return refuse(path, "not a profile file");
	if (header->byte_order != PROFILE_BYTE_ORDER)
		return refuse(path, "written on a machine with another byte order");
	if (header->version != PROFILE_VERSION) {
		warn("%s: profile file of version %u; this profil reads version %u",
		     path, header->version, PROFILE_VERSION);
		return false;
	}
	if (header->sample_width != 4 && header->sample_width != 8)
		return refuse(path, "damaged: invalid sample width");
	if (header->header_size < sizeof(*header) ||
	    header->samples_offset % header->sample_width)
		return refuse(path, "damaged: invalid header");
	return true;
}

/* Makes the header that of a file without stacks. */
static void forget_stacks(struct profile_header *header)
{
	const size_t from = offsetof(struct profile_header, stacks_offset);

	memset((char *)header + from, 0,
	       offsetof(struct profile_header, refused) - from);
}

/* Whether the stacks lie behind the room for samples. */
static bool stacks_are_behind(const struct profile_header *header)
{
	uint64_t at = header->stacks_offset, from = header->samples_offset;

	return at % 8 == 0 && at <= INT64_MAX && at >= from &&
	       header->capacity <= (at - from) / header->sample_width;
}

/* Returns false if there were stacks, but their place is not valid. */
static bool mend_stacks(struct profile_header *header)
{
	if (!header->stacks_offset || stacks_are_behind(header))
		return true;
	forget_stacks(header);
	return false;
}

/* A wrong period makes seconds wrong, but not shares: the file is still useful. */
static void mend(struct profile_header *header, const char *path, uint64_t size)
{
	if (header->period_ns > 1000000000) {
		warn("%s: damaged: invalid period of %llu ns: using 10 ms", path,
		     (unsigned long long)header->period_ns);
		header->period_ns = 10000000;
	}
	if (!mend_stacks(header))
		warn("%s: damaged: its stacks are missing", path);
	if (header->samples_offset > size) {
		warn("%s: truncated: its samples are missing", path);
		header->samples_offset = size;
	}
}

bool profile_header_check(struct profile_header *header, const char *path,
			  uint64_t size)
{
	if (!can_be_read(header, path))
		return false;
	mend(header, path, size);
	return true;
}

bool profile_header_look(struct profile_header *header)
{
	if (memcmp(header->magic, PROFILE_MAGIC, sizeof(header->magic)) ||
	    header->version != PROFILE_VERSION ||
	    (header->sample_width != 4 && header->sample_width != 8))
		return false;
	mend_stacks(header);
	return true;
}
