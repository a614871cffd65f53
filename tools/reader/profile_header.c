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

static bool is_known_version(const struct profile_header *header)
{
	return header->version >= PROFILE_VERSION_OLDEST &&
	       header->version <= PROFILE_VERSION;
}

static bool can_be_read(const struct profile_header *header, const char *path)
{
	if (memcmp(header->magic, PROFILE_MAGIC, sizeof(header->magic)))
		return refuse(path, "not a profile file");
	if (header->byte_order != PROFILE_BYTE_ORDER)
		return refuse(path, "written with another byte order");
	if (!is_known_version(header)) {
		warn("%s: profile file of version %u; this profil reads versions %u to %u",
		     path, header->version, PROFILE_VERSION_OLDEST,
		     PROFILE_VERSION);
		return false;
	}
	if (header->sample_width != 4 && header->sample_width != 8)
		return refuse(path, "damaged: no such sample width");
	if (header->header_size < sizeof(*header) ||
	    header->samples_offset % header->sample_width)
		return refuse(path, "damaged: no such layout");
	return true;
}

/* What version 1 does not have. */
static void forget_stacks(struct profile_header *header)
{
	const size_t from = offsetof(struct profile_header, stacks_offset);

	memset((char *)header + from, 0, sizeof(*header) - from);
}

/* Behind the samples' room; samples_offset is a place in the file. */
static bool stacks_are_behind(const struct profile_header *header)
{
	uint64_t at = header->stacks_offset, from = header->samples_offset;

	return at % 8 == 0 && at <= INT64_MAX && at >= from &&
	       header->capacity <= (at - from) / header->sample_width;
}

/* False: there were stacks, and nobody knows where. */
static bool mend_stacks(struct profile_header *header)
{
	if (header->version < 2)
		forget_stacks(header);
	if (!header->stacks_offset || stacks_are_behind(header))
		return true;
	forget_stacks(header);
	return false;
}

/* The period is needed for seconds only: a wrong one is not worth the file. */
static void mend(struct profile_header *header, const char *path, uint64_t size)
{
	if (header->period_ns == 0) {
		warn("%s: stopped before profiling began", path);
		header->period_ns = 10000000;
	} else if (header->period_ns > 1000000000) {
		warn("%s: damaged: period of %llu ns", path,
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
	    !is_known_version(header) ||
	    (header->sample_width != 4 && header->sample_width != 8))
		return false;
	mend_stacks(header);
	return true;
}
