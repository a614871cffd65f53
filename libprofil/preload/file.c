// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profile file in memory.
 *
 * The kernel writes samples into the mapping, and this library writes header and
 * log there. So the file is complete however the process ends. No descriptor stays
 * open.
 */
#include "file.h"
#include "memory.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

uint64_t file_now_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool file_is_there(const struct file *file)
{
	return file->header &&
	       libprofil_memory_is_writable(file->header, sizeof(*file->header)) &&
	       !memcmp(file->header->magic, PROFILE_MAGIC,
		       sizeof(file->header->magic));
}

bool file_is_ours(const struct file *file)
{
	return file_is_there(file) && file->header->pid == (uint32_t)system_getpid();
}

char *file_spare(struct file *file)
{
	return file->path + strlen(file->path) + 1;
}

void file_unmap(struct profile_header *header)
{
	munmap(header, header->log_offset + header->log_capacity);
}

int file_open(const struct file *file, uint64_t *size)
{
	int fd = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) == 0 && status.st_dev == file->device &&
	    status.st_ino == file->inode) {
		*size = (uint64_t)status.st_size;
		return fd;
	}
	close(fd);
	errno = ESTALE;
	return -1;
}

void file_end(struct file *file, uint64_t monotonic_ns)
{
	struct profile_header *header = file->header;

	/* CLOCK_REALTIME may have been set meanwhile. */
	header->ended_ns = header->started_ns + monotonic_ns - header->monotonic_ns;
	__atomic_store_n(&header->state, PROFILE_ENDED, __ATOMIC_RELEASE);
}

bool file_has(const struct file *file, uint64_t index)
{
	return index < file->room &&
	       libprofil_memory_is_readable(file->samples +
					    index * sizeof(void *),
					    sizeof(void *));
}

uint64_t file_sample(const struct file *file, uint64_t index)
{
	return ((const uintptr_t *)(const void *)file->samples)[index];
}
