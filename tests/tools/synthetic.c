// SPDX-License-Identifier: LGPL-2.1-or-later
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void synthetic_begin(struct synthetic *file)
{
	memset(file, 0, sizeof(*file));
	file->header = (struct profile_header){
		.version = PROFILE_VERSION, .header_size = sizeof(file->header),
		.byte_order = PROFILE_BYTE_ORDER, .sample_width = 8,
		.log_offset = LOG_AT, .log_capacity = SAMPLES_AT - LOG_AT,
		.samples_offset = SAMPLES_AT, .capacity = 1000000,
		.period_ns = 1000000, .rate = 2,
		.pid = 4711, .started_ns = 1, .state = PROFILE_ENDED,
	};
	memcpy(file->header.magic, PROFILE_MAGIC, 8);
	file->size = SAMPLES_AT;
}

void synthetic_object(struct synthetic *file, uint64_t sample, const char *path,
		      uint64_t start, uint64_t end, uint64_t bias)
{
	const struct profile_object object = {
		.start = start, .end = end, .bias = bias, .offset = start - bias,
	};
	const struct profile_record record = {
		.type = PROFILE_OBJECT, .sample = sample,
		.size = (uint32_t)(sizeof(record) + sizeof(object) + strlen(path) + 8) & ~7U,
	};
	unsigned char *at = file->bytes + LOG_AT + file->header.log_used;

	memcpy(at, &record, sizeof(record));
	memcpy(at + sizeof(record), &object, sizeof(object));
	strcpy((char *)at + sizeof(record) + sizeof(object), path);
	file->header.log_used += record.size;
}

void synthetic_samples(struct synthetic *file, uint64_t pc, unsigned int n)
{
	while (n--) {
		memcpy(file->bytes + file->size, &pc, sizeof(pc));
		file->size += sizeof(pc);
	}
}

static char directory[] = "/tmp/profil-test.XXXXXX";

static void remove_directory(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	if (system(command))
		perror(directory);
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

const char *synthetic_path(const char *name)
{
	static char paths[2][300];
	static int next;

	next ^= 1;
	snprintf(paths[next], sizeof(paths[next]), "%s/%s", synthetic_directory(), name);
	return paths[next];
}

off_t synthetic_size(const char *name)
{
	struct stat status;

	return stat(synthetic_path(name), &status) < 0 ? -1 : status.st_size;
}

const char *synthetic_write(const struct synthetic *file, const char *name, uint64_t size)
{
	const char *path = synthetic_path(name);
	FILE *out = fopen(path, "w");

	if (!out || fwrite(file->bytes, 1, size, out) != size || fclose(out))
		abort();
	return path;
}
