// SPDX-License-Identifier: LGPL-2.1-or-later
#include "synthetic.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void synthetic_begin(struct synthetic *file)
{
	memset(file, 0, sizeof(*file));
	file->header = (struct profile_header){
		.version = PROFILE_VERSION,
		.header_size = sizeof(file->header),
		.byte_order = PROFILE_BYTE_ORDER,
		.sample_width = 8,
		.log_offset = LOG_AT,
		.log_capacity = SAMPLES_AT - LOG_AT,
		.samples_offset = SAMPLES_AT,
		.capacity = 1000000,
		.period_ns = 1000000,
		.rate = 2,
		.pid = 4711,
		.started_ns = 1,
		.state = PROFILE_ENDED,
	};
	memcpy(file->header.magic, PROFILE_MAGIC, 8);
	file->size = SAMPLES_AT;
}

static void add_record(struct synthetic *file, uint32_t type, uint64_t sample,
		       const void *payload, size_t size)
{
	struct profile_record record = {
		.type = type,
		.size = (uint32_t)(sizeof(record) + ((size + 7) & ~(size_t)7)),
		.sample = sample,
	};
	unsigned char *at = file->bytes + LOG_AT + file->header.log_used;

	memcpy(at, &record, sizeof(record));
	memcpy(at + sizeof(record), payload, size);
	file->header.log_used += record.size;
}

static void add_object(struct synthetic *file, uint64_t sample, const char *path,
		       const struct profile_object *object)
{
	char payload[sizeof(*object) + 256];

	memcpy(payload, object, sizeof(*object));
	strcpy(payload + sizeof(*object), path);
	add_record(file, PROFILE_OBJECT, sample, payload,
		   sizeof(*object) + strlen(path) + 1);
}

void synthetic_object(struct synthetic *file, uint64_t sample, const char *path,
		      uint64_t start, uint64_t end, uint64_t bias)
{
	struct profile_object object = {
		.start = start, .end = end, .bias = bias,
		.offset = start - bias,
	};

	add_object(file, sample, path, &object);
}

void synthetic_fixed(struct synthetic *file, uint64_t sample, const char *path,
		     uint64_t start, uint64_t end)
{
	struct profile_object object = {
		.start = start, .end = end, .offset = start & 0xffff,
	};

	add_object(file, sample, path, &object);
}

void synthetic_gone(struct synthetic *file, uint64_t sample, uint64_t start)
{
	add_record(file, PROFILE_GONE, sample, &start, sizeof(start));
}

void synthetic_text(struct synthetic *file, uint32_t type, const char *text,
		    size_t size)
{
	add_record(file, type, 0, text, size);
}

void synthetic_samples(struct synthetic *file, uint64_t pc, unsigned int n)
{
	while (n--) {
		memcpy(file->bytes + file->size, &pc, sizeof(pc));
		file->size += sizeof(pc);
	}
}

void synthetic_record(struct synthetic *file, const struct profil_stack_record *record)
{
	struct synthetic_stream *stream = &file->stream;
	struct profil_stack_last *last =
		&stream->last[record->thread % THREADS_MOST];
	struct profil_stack_record encoded = *record;

	stream->size += profil_stack_encode(&stream->before, last, &encoded,
					     stream->bytes + stream->size);
	profil_stack_encoded(&stream->before, last, &encoded);
	if (stream->size > STREAM_MOST)
		abort();
}

/* A millisecond after the start, for each sample. */
void synthetic_frames(struct synthetic *file, uint32_t thread, unsigned int n,
		      const u64 *frames, uint32_t nframes)
{
	uint64_t sample = (file->size - SAMPLES_AT) / 8;
	const struct profil_stack_record record = {
		.sample = sample, .count = n, .thread = thread,
		.time_us = SYNTHETIC_BEGIN_NS / 1000 + 1000 * sample,
		.span_us = 1000 * (n - 1), .frame = frames, .nframes = nframes,
	};

	synthetic_record(file, &record);
	synthetic_samples(file, frames[0], n);
}

void synthetic_end(struct synthetic *file)
{
	struct profile_header *header = &file->header;

	header->capacity = (file->size - SAMPLES_AT) / 8;
	header->stacks_offset = file->size;
	header->stacks_capacity = header->stack_bytes = file->stream.size;
	header->monotonic_ns = SYNTHETIC_BEGIN_NS;
	memcpy(file->bytes + file->size, file->stream.bytes, file->stream.size);
	file->size += file->stream.size;
}

static char directory[] = "/tmp/profil-test.XXXXXX";

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static void remove_directory(void)
{
	nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *synthetic_directory(void)
{
	static const char *made;

	if (!made) {
		made = mkdtemp(directory);
		if (!made)
			abort();
		atexit(remove_directory);
	}
	return made;
}

const char *synthetic_write(const struct synthetic *file, const char *name,
			    uint64_t size)
{
	static char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", synthetic_directory(), name);
	out = fopen(path, "w");
	if (!out || fwrite(file->bytes, 1, size, out) != size || fclose(out))
		abort();
	return path;
}
