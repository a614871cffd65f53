// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reader of docs/profile-file.md. Nothing in a file is trusted: every
 * offset and size is held against the size of the file.
 */
#include "reader/profile_file.h"
#include "common/memory.h"
#include "common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK	65536	/* samples read at once */

/* Reads up to @size bytes; how many there were. */
static size_t read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)buffer + done, size - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

static bool refuse(const struct profile_file *file, const char *why)
{
	warn("%s: %s", file->path, why);
	return false;
}

static bool check_header(struct profile_file *file)
{
	const struct profile_header *header = &file->header;

	if (memcmp(header->magic, PROFILE_MAGIC, sizeof(header->magic)))
		return refuse(file, "not a profile file");
	if (header->byte_order != PROFILE_BYTE_ORDER)
		return refuse(file, "written with another byte order");
	if (header->version != PROFILE_VERSION) {
		warn("%s: profile file of version %u; this profil reads version %u",
		     file->path, header->version, PROFILE_VERSION);
		return false;
	}
	if (header->sample_width != 4 && header->sample_width != 8)
		return refuse(file, "damaged: no such sample width");
	if (header->header_size < sizeof(*header) ||
	    header->samples_offset % header->sample_width)
		return refuse(file, "damaged: no such layout");
	return true;
}

/* The period is needed for seconds only: a wrong one is not worth the file. */
static void mend_header(struct profile_file *file)
{
	struct profile_header *header = &file->header;

	if (header->period_ns == 0) {
		warn("%s: stopped before profiling began", file->path);
		header->period_ns = 10000000;
	} else if (header->period_ns > 1000000000) {
		warn("%s: damaged: period of %llu ns", file->path,
		     (unsigned long long)header->period_ns);
		header->period_ns = 10000000;
	}
	if (header->samples_offset > file->size) {
		warn("%s: truncated: its samples are missing", file->path);
		header->samples_offset = file->size;
	}
}

/* What a record must have after its own header. */
static size_t least_payload(uint32_t type)
{
	switch (type) {
	case PROFILE_OBJECT:
		return sizeof(struct profile_object) + 1;
	case PROFILE_GONE:
		return sizeof(uint64_t);
	case PROFILE_EXECUTABLE:
	case PROFILE_ARGUMENTS:
	case PROFILE_NAME:
	case PROFILE_HOST:
		return 1;
	default:
		return 0;
	}
}

static bool is_text(uint32_t type)
{
	return type == PROFILE_OBJECT || type == PROFILE_EXECUTABLE ||
	       type == PROFILE_ARGUMENTS || type == PROFILE_NAME ||
	       type == PROFILE_HOST;
}

static bool is_whole(const struct profile_record *record, uint64_t left)
{
	return left >= sizeof(*record) && record->size >= sizeof(*record) &&
	       record->size <= left && record->size % 8 == 0 &&
	       record->size - sizeof(*record) >= least_payload(record->type);
}

const struct profile_record *
profile_file_record(const struct profile_file *file,
		    const struct profile_record *record)
{
	char *at = file->log;

	if (record)
		at = (char *)(uintptr_t)record + record->size;
	record = (const struct profile_record *)(void *)at;
	if (!is_whole(record, (uint64_t)(file->log + file->log_bytes - at)))
		return NULL;
	if (is_text(record->type))
		at[record->size - 1] = '\0';
	return record;
}

/* A record that is not whole says nothing of where the next one is. */
static void end_log_at_damage(struct profile_file *file)
{
	const struct profile_record *record = NULL;
	uint64_t whole = 0;

	while ((record = profile_file_record(file, record)))
		whole += record->size;
	if (whole == file->log_bytes)
		return;
	warn("%s: damaged: of %llu bytes about objects, %llu can be read",
	     file->path, (unsigned long long)file->log_bytes,
	     (unsigned long long)whole);
	file->log_bytes = whole;
}

static void read_log(struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t used = header->log_used, end = header->samples_offset;

	if (header->log_offset > file->size)
		used = 0;
	else if (used > file->size - header->log_offset)
		used = file->size - header->log_offset;
	if (header->log_offset < end && used > end - header->log_offset)
		used = end - header->log_offset;
	if (used > header->log_capacity)
		used = header->log_capacity;
	if (used != header->log_used)
		warn("%s: damaged or truncated: not all objects are known",
		     file->path);
	if (header->log_lost)
		warn("%s: the log was full: %u objects are not known",
		     file->path, header->log_lost);
	file->log = allocate(used);
	file->log_bytes = read_at(file->fd, file->log, used, header->log_offset);
	end_log_at_damage(file);
}

static bool open_checked(struct profile_file *file)
{
	struct stat status;

	if (fstat(file->fd, &status) < 0)
		return refuse(file, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return refuse(file, "not a regular file");
	file->size = (uint64_t)status.st_size;
	file->owner = status.st_uid;
	if (read_at(file->fd, &file->header, sizeof(file->header), 0) <
	    sizeof(file->header))
		return refuse(file, "too short for a profile file");
	if (!check_header(file))
		return false;
	mend_header(file);
	read_log(file);
	return true;
}

bool profile_file_open(struct profile_file *file, const char *path)
{
	*file = (struct profile_file){ .path = path };
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return refuse(file, strerror(errno));
	if (open_checked(file))
		return true;
	close(file->fd);
	return false;
}

static bool is_profile(const struct profile_header *header)
{
	return !memcmp(header->magic, PROFILE_MAGIC, sizeof(header->magic)) &&
	       (header->sample_width == 4 || header->sample_width == 8);
}

bool profile_file_look(struct profile_file *file)
{
	struct stat status;

	if (fstat(file->fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    read_at(file->fd, &file->header, sizeof(file->header), 0) <
	    sizeof(file->header) || !is_profile(&file->header))
		return false;
	file->size = (uint64_t)status.st_size;
	file->owner = status.st_uid;
	return true;
}

bool profile_file_peek(struct profile_file *file, int directory, const char *path)
{
	const int flags = O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;

	*file = (struct profile_file){ .path = path };
	file->fd = openat(directory, path, O_RDWR | flags);
	file->writable = file->fd >= 0;
	if (file->fd < 0)
		file->fd = openat(directory, path, O_RDONLY | flags);
	if (file->fd < 0)
		return false;
	if (profile_file_look(file))
		return true;
	close(file->fd);
	return false;
}

void profile_file_close(struct profile_file *file)
{
	close(file->fd);
	free(file->log);
}

/* Narrow pcs are widened in place, from the end. */
static void widen(uint64_t *pcs, size_t n)
{
	const char *narrow = (const char *)pcs;

	while (n--) {
		uint32_t pc;

		memcpy(&pc, narrow + n * sizeof(pc), sizeof(pc));
		pcs[n] = pc;
	}
}

static void visit_extent(const struct profile_file *file, uint64_t *pcs,
			 uint64_t from, uint64_t to, profile_visit *visit,
			 void *context)
{
	uint32_t width = file->header.sample_width;
	uint64_t start = file->header.samples_offset;

	from -= (from - start) % width;
	while (from + width <= to) {
		uint64_t bytes = to - from;
		size_t n;

		if (bytes > CHUNK * (uint64_t)width)
			bytes = CHUNK * (uint64_t)width;
		n = read_at(file->fd, pcs, bytes, from) / width;
		if (!n)
			return;
		if (width == 4)
			widen(pcs, n);
		visit(context, pcs, n, (from - start) / width);
		from += n * width;
	}
}

/* A stretch of the file that has disk blocks, at or after *@from. */
static bool next_extent(const struct profile_file *file, uint64_t *from,
			uint64_t *to)
{
	off_t data, hole;

	if (*from >= file->size)
		return false;
	data = lseek(file->fd, (off_t)*from, SEEK_DATA);
	if (data < 0 && errno == ENXIO)
		return false;
	if (data >= 0)
		*from = (uint64_t)data;
	hole = lseek(file->fd, (off_t)*from, SEEK_HOLE);
	*to = hole > (off_t)*from ? (uint64_t)hole : file->size;
	return *from < file->size;
}

void profile_file_samples(const struct profile_file *file, profile_visit *visit,
			  void *context)
{
	uint64_t *pcs = allocate(CHUNK * sizeof(*pcs));
	uint64_t from = file->header.samples_offset, to;

	for (; next_extent(file, &from, &to); from = to)
		visit_extent(file, pcs, from, to, visit, context);
	free(pcs);
}

bool profile_file_is_live(const struct profile_file *file)
{
	if (flock(file->fd, LOCK_SH | LOCK_NB) == 0)
		return false;
	if (errno == EWOULDBLOCK)
		return true;
	/* Where there are no locks, the number may be another process's by now. */
	return file->header.state != PROFILE_ENDED &&
	       (kill((pid_t)file->header.pid, 0) == 0 || errno != ESRCH);
}

void profile_file_leave(const struct profile_file *file)
{
	const uint64_t yes = 1;

	/* Whose it is not, the report may be. */
	if (!file->writable ||
	    pwrite(file->fd, &yes, sizeof(yes),
		   offsetof(struct profile_header, unattended)) < 0)
		return;
}

/* What is not 0 in @bytes ends there. */
static size_t used_bytes(const char *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return size;
}

/* Where what is not 0 in a stretch of the file ends; 0: it is all 0. */
static uint64_t used_to(const struct profile_file *file, uint64_t from, uint64_t to)
{
	static char bytes[131072];

	while (from < to) {
		size_t size = to - from < sizeof(bytes) ? to - from : sizeof(bytes);
		size_t used = used_bytes(bytes, read_at(file->fd, bytes, size,
							to - size));

		if (used)
			return to - size + used;
		to -= size;
	}
	return 0;
}

/*
 * Blocks may have been brought in for samples that never came, and holes may be
 * between samples.
 */
uint64_t profile_file_end(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t from = header->samples_offset, to, end = from;

	if (from > file->size || from < sizeof(*header))
		return 0;
	for (; next_extent(file, &from, &to); from = to) {
		uint64_t used = used_to(file, from, to);

		if (used)
			end = used;
	}
	/* A sample whose last byte is 0 is a sample. */
	to = (end - header->samples_offset) % header->sample_width;
	if (to)
		end += header->sample_width - to;
	/* Of the last one, a file that was cut has only a part. */
	return end < file->size ? end : file->size;
}

/* What was read, and nothing that has taken its name. */
static int open_writable(const struct profile_file *file)
{
	struct stat there, here;
	int fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK |
		      O_NOFOLLOW | O_NOCTTY);

	if (fd < 0)
		return fd;
	if (fstat(fd, &there) == 0 && fstat(file->fd, &here) == 0 &&
	    there.st_dev == here.st_dev && there.st_ino == here.st_ino)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

int profile_file_cut(const struct profile_file *file, uint64_t end)
{
	int error = 0, fd;

	if (!end || end >= file->size)
		return 0;
	fd = file->writable ? file->fd : open_writable(file);
	if (fd < 0 || ftruncate(fd, (off_t)end) < 0)
		error = errno;
	if (fd >= 0 && fd != file->fd)
		close(fd);
	return error;
}
