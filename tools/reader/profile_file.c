// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reader of profil-file(5). It trusts nothing in a file: it checks each offset
 * and size against the size of the file.
 */
#include "reader/profile_file.h"
#include "reader/profile_header.h"
#include "common/memory.h"
#include "common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

size_t profile_file_read(const struct profile_file *file, void *buffer,
			 size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(file->fd, (char *)buffer + done, size - done,
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

/* Bytes that a record must have after its header. */
static size_t least_payload(uint32_t type)
{
	switch (type) {
	case PROFILE_OBJECT:
		return sizeof(struct profile_object) + 1;
	case PROFILE_GONE:
		return sizeof(uint64_t);
	case PROFILE_PHASE:
		return sizeof(uint64_t) + 1;
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
	return type == PROFILE_OBJECT || type == PROFILE_ARGUMENTS ||
	       type == PROFILE_NAME || type == PROFILE_HOST || type == PROFILE_PHASE;
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

/* After a damaged record, the next one cannot be found. */
static void end_log_at_damage(struct profile_file *file)
{
	const struct profile_record *record = NULL;
	uint64_t whole = 0;

	while ((record = profile_file_record(file, record)))
		whole += record->size;
	if (whole == file->log_bytes)
		return;
	warn("%s: damaged: only %llu of %llu bytes about objects can be read",
	     file->path, (unsigned long long)whole,
	     (unsigned long long)file->log_bytes);
	file->log_bytes = whole;
}

/* More than most logs have. */
#define LOG_USUAL	65536

/* The log has no holes, so it ends at the first one, which may be larger than memory. */
uint64_t profile_file_log_size(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t from = header->log_offset, used = header->log_used;
	off_t hole = -1;

	if (from >= file->size)
		return 0;
	if (used > LOG_USUAL)
		hole = lseek(file->fd, (off_t)from, SEEK_HOLE);
	if (hole < 0)
		hole = (off_t)file->size;
	if (used > (uint64_t)hole - from)
		used = (uint64_t)hole - from;
	if (from < header->samples_offset && used > header->samples_offset - from)
		used = header->samples_offset - from;
	return used < header->log_capacity ? used : header->log_capacity;
}

static void read_log(struct profile_file *file)
{
	const struct profile_header *header = &file->header;
	uint64_t used = profile_file_log_size(file);

	if (used != header->log_used)
		warn("%s: damaged or truncated: not all objects are known",
		     file->path);
	if (header->log_lost)
		warn("%s: the log was full: %u objects or phases are missing",
		     file->path, header->log_lost);
	file->log = allocate(used);
	file->log_bytes = profile_file_read(file, file->log, used, header->log_offset);
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
	file->mode = status.st_mode;
	if (profile_file_read(file, &file->header, sizeof(file->header), 0) <
	    sizeof(file->header))
		return refuse(file, "too short for a profile file");
	if (!profile_header_check(&file->header, file->path, file->size))
		return false;
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

bool profile_file_reload(struct profile_file *file)
{
	free(file->log);
	file->log = NULL;
	file->log_bytes = 0;
	return open_checked(file);
}

bool profile_file_look(struct profile_file *file)
{
	struct stat status;

	if (fstat(file->fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    profile_file_read(file, &file->header, sizeof(file->header), 0) <
	    sizeof(file->header) || !profile_header_look(&file->header))
		return false;
	file->size = (uint64_t)status.st_size;
	file->owner = status.st_uid;
	file->mode = status.st_mode;
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

bool profile_file_is_live(const struct profile_file *file)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 };

	if (fcntl(file->fd, F_OFD_GETLK, &lock) == 0)
		return lock.l_type != F_UNLCK;
	/* The file system has no locks. Another process may have this number by now. */
	return file->header.state != PROFILE_ENDED &&
	       (kill((pid_t)file->header.pid, 0) == 0 || errno != ESRCH);
}

bool profile_file_is_cut(const struct profile_file *file)
{
	const struct profile_header *header = &file->header;

	return header->samples_offset - header->log_offset - header->log_used < 8;
}

void profile_file_leave(const struct profile_file *file)
{
	const uint32_t yes = 1;

	/* If profil may not write to the file, it stays long. */
	if (!file->writable ||
	    pwrite(file->fd, &yes, sizeof(yes),
		   offsetof(struct profile_header, unattended)) < 0)
		return;
}
