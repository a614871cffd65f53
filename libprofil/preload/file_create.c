// SPDX-License-Identifier: LGPL-2.1-or-later
#include "file_create.h"
#include "file_log.h"
#include "file_room.h"
#include "system.h"
#include "valgrind.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert(sizeof(struct profile_object) == 72, "the path is at its end");
_Static_assert(sizeof(struct profile_header) == 208, "no padding");

/*
 * Both return the new end, at most @end. In a fork, each part of libc that is used for the
 * first time takes 10,000 instructions.
 */
static char *put_text(char *to, char *end, const char *text)
{
	while (to < end && *text)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static char *put_number(char *to, char *end, unsigned int number)
{
	char digits[12], *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do
		*--first = (char)('0' + number % 10);
	while (number /= 10);
	*--first = '.';
	return put_text(to, end, first);
}

/*
 * exec keeps the pid: a second file of the same name and pid is NAME.PID.1. The mode
 * does not rely on the umask, which daemons set to 0.
 */
static int open_new(char *path, size_t size, const char *directory,
		    const char *name, int pid)
{
	char *last = path + size - sizeof(".9999"), *end;
	int fd, i;

	end = put_text(put_text(put_text(path, last, directory), last, "/"), last, name);
	end = put_number(end, last, (unsigned int)pid);
	if (end == last) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (i = 0; i < 10000; i++) {
		if (i)
			put_number(end, path + size - 1, (unsigned int)i);
		fd = system_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
				 0644);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static void write_header(const struct file *file, int pid)
{
	struct profile_header *header = file->header;

	header->version = PROFILE_VERSION;
	header->header_size = sizeof(*header);
	header->byte_order = PROFILE_BYTE_ORDER;
	header->sample_width = sizeof(void *);
	header->log_offset = FILE_LOG_AT;
	header->log_capacity = FILE_LOG_BYTES;
	header->samples_offset = FILE_SAMPLES_AT;
	header->capacity = file->room;
	if (file->stacks_room) {
		header->stacks_offset = (uint64_t)(file->stacks -
						   (char *)header);
		header->stacks_capacity = file->stacks_room;
	}
	header->pid = (uint32_t)pid;
	header->started_ns = file_now_ns(CLOCK_REALTIME);
	header->monotonic_ns = file_now_ns(CLOCK_MONOTONIC);
	/* Last: readers take the file for a profile when it has this. */
	memcpy(header->magic, PROFILE_MAGIC, sizeof(header->magic));
}

/*
 * Locks the file before its header makes it a profile. The lock belongs to the open
 * file, which the mapping keeps after the descriptor is closed. So readers see that
 * the file is in use until the mapping ends, by exec, exit or otherwise. Who can only read
 * the file cannot have such a lock, but could have one of flock(2).
 */
static int fill_file(struct file *file, int fd, struct file_size size, int pid, uint64_t log)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	int error;

	system_lock(fd, &lock);
	error = file_log_reserve(file, fd, log);
	if (!error)
		error = file_room_make(file, fd, size);
	if (!error)
		write_header(file, pid);
	return error;
}

int file_create_of(struct file *file, const char *directory, const char *name,
		   int pid, uint64_t capacity, bool stacks, uint64_t log, int *descriptor)
{
	struct file_size size = file_size_allowed(capacity, stacks);
	int fd, error;

	if (!size.samples)
		return EFBIG;
	/* helgrind has notes of all bytes that are mapped, used or not. */
	if (valgrind_is_here())
		file_size_keep_small(&size);
	fd = open_new(file->path, PATH_MAX, directory, name, pid);
	if (fd < 0)
		return errno;
	error = fill_file(file, fd, size, pid, log);
	if (error) {
		unlink(file->path);
		system_close(fd);
	} else {
		*descriptor = fd;
	}
	return error;
}

int file_create(struct file *file, const char *directory, const char *name,
		uint64_t capacity, bool stacks, uint64_t log)
{
	int fd, error;

	file->pid = system_getpid();
	error = file_create_of(file, directory, name, file->pid, capacity, stacks, log, &fd);
	if (!error)
		system_close(fd);
	return error;
}

void file_create_undo(struct file *file)
{
	unlink(file->path);
	/* mlockall() would bring these holes into memory. */
	munmap(file->samples, file_size_of_samples(file->room));
	if (file->stacks_room)
		munmap(file->stacks, file->stacks_room);
	file_unmap(file->header);
	file->header = NULL;
}
