// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profile file: made, sized and mapped.
 *
 * The kernel writes the samples into the mapping, and so do we with the header
 * and the log, so nothing has to be done at the end of the process, whatever
 * the end is. No descriptor stays open.
 *
 * The file is sparse. Its size is address space for the profile, not disk
 * space: 2^33 samples are 99 days of CPU time at 1000 samples a second.
 *
 * The samples are not inherited by fork children: a child that is not ours to
 * see (a bare clone system call) must not write into its parent's samples.
 * Header and log are, so that the child can copy them.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEADER_BYTES	4096UL
#define LOG_BYTES	(4UL << 20)
#define LOG_STEP	(60UL << 10)
#define FIRST_SAMPLE	(HEADER_BYTES + LOG_BYTES)

#define CAPACITY_MOST	((uint64_t)1 << (sizeof(void *) == 8 ? 33 : 25))

static uint64_t soft_limit(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* What the limit leaves: a file beyond RLIMIT_FSIZE would be a SIGXFSZ. */
static uint64_t most_samples(void)
{
	uint64_t size = soft_limit(RLIMIT_FSIZE);

	if (size < FIRST_SAMPLE)
		return 0;
	size = (size - FIRST_SAMPLE) / sizeof(void *);
	return size < CAPACITY_MOST ? size : CAPACITY_MOST;
}

/* Most of an address space that is limited is for the program. */
static uint64_t less(uint64_t capacity)
{
	uint64_t space = soft_limit(RLIMIT_AS) / 16 / sizeof(void *);

	capacity /= 4;
	return capacity < space ? capacity : space;
}

/* Several images of one process have one pid: the second is NAME.PID.1. */
static int open_new(char *path, size_t size, const char *directory,
		    const char *name, int pid)
{
	int fd, i, length;

	for (i = 0; i < 10000; i++) {
		length = i ? snprintf(path, size, "%s/%s.%d.%d",
				      directory, name, pid, i) :
			     snprintf(path, size, "%s/%s.%d", directory, name,
				      pid);
		if (length >= (int)size) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			  0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/*
 * Maps the file with room for as many samples as it and the address space take,
 * @capacity or a quarter of that and so on. The number, or 0.
 */
static uint64_t map_file(struct file *file, int fd, uint64_t capacity)
{
	for (; capacity; capacity = less(capacity)) {
		size_t bytes = FIRST_SAMPLE + capacity * sizeof(void *);
		void *map = MAP_FAILED;

		if (ftruncate(fd, (off_t)bytes) == 0)
			map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0);
		else if (errno != EFBIG && errno != EINVAL && errno != ENOSPC &&
			 errno != EOVERFLOW)
			return 0;
		if (map != MAP_FAILED) {
			file->header = map;
			file->log = (char *)map + HEADER_BYTES;
			file->samples = (char *)map + FIRST_SAMPLE;
			break;
		}
	}
	return capacity;
}

static void unmap_file(struct file *file, uint64_t capacity)
{
	munmap(file->header, FIRST_SAMPLE + capacity * sizeof(void *));
	file->header = NULL;
}

/*
 * Makes room on the disk for the log up to @end. Without this a full disk
 * would be a SIGBUS when we write there, in a program that has nothing to do
 * with it.
 */
static int reserve(struct file *file, int fd, uint64_t end)
{
	int error = posix_fallocate(fd, 0, (off_t)(HEADER_BYTES + end));

	if (error && error != EOPNOTSUPP && error != EINVAL)
		return error;
	file->reserved = end;
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void write_header(struct profile_header *header, uint64_t capacity, int pid)
{
	header->version = PROFILE_VERSION;
	header->header_size = sizeof(*header);
	header->byte_order = PROFILE_BYTE_ORDER;
	header->sample_width = sizeof(void *);
	header->log_offset = HEADER_BYTES;
	header->log_capacity = LOG_BYTES;
	header->samples_offset = FIRST_SAMPLE;
	header->capacity = capacity;
	header->pid = (uint32_t)pid;
	header->started_ns = now_ns();
	/* What has this is a profile file. */
	memcpy(header->magic, PROFILE_MAGIC, sizeof(header->magic));
}

static int fill_file(struct file *file, int fd, uint64_t capacity, int pid)
{
	int error;

	errno = EFBIG;
	capacity = map_file(file, fd, capacity);
	if (!capacity)
		return errno;
	error = reserve(file, fd, LOG_STEP);
	if (error) {
		unmap_file(file, capacity);
		return error;
	}
	madvise(file->samples, capacity * sizeof(void *), MADV_DONTFORK);
	write_header(file->header, capacity, pid);
	return 0;
}

int file_create(struct file *file, const char *directory, const char *name,
		uint64_t capacity)
{
	uint64_t most = most_samples();
	int fd, error, pid = (int)getpid();

	if (!capacity || capacity > most)
		capacity = most;
	fd = open_new(file->path, sizeof(file->path), directory, name, pid);
	if (fd < 0)
		return errno;
	error = fill_file(file, fd, capacity, pid);
	if (error)
		unlink(file->path);
	close(fd);
	return error;
}

void file_forget(struct file *file)
{
	if (file->header)
		munmap(file->header, FIRST_SAMPLE);
	file->header = NULL;
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* More room for a log that has become long: rare. */
static int extend(struct file *file)
{
	int fd = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	int error;

	if (fd < 0)
		return errno;
	error = reserve(file, fd, file->reserved + LOG_STEP);
	close(fd);
	return error;
}

static bool has_room(struct file *file, size_t size)
{
	struct profile_header *header = file->header;
	uint64_t end = header->log_used + size;

	if (end > header->log_capacity)
		return false;
	return end <= file->reserved ||
	       (size <= LOG_STEP && extend(file) == 0 && end <= file->reserved);
}

void file_log(struct file *file, uint32_t type, uint64_t sample,
	      const void *first, size_t first_size,
	      const void *second, size_t second_size)
{
	size_t size = sizeof(struct profile_record) +
		      padded(first_size + second_size);
	struct profile_header *header = file->header;
	struct profile_record *record;

	if (!header)
		return;
	if (!has_room(file, size)) {
		header->log_lost++;
		return;
	}
	record = (struct profile_record *)(void *)(file->log + header->log_used);
	record->type = type;
	record->size = (uint32_t)size;
	record->sample = sample;
	if (first_size)
		memcpy(record + 1, first, first_size);
	if (second_size)
		memcpy((char *)(record + 1) + first_size, second, second_size);
	/* A reader of a program killed here must not see half a record. */
	__atomic_store_n(&header->log_used, header->log_used + size,
			 __ATOMIC_RELEASE);
}

void file_copy_log(struct file *file, const struct file *from)
{
	const char *at = from->log, *end = at + from->header->log_used;

	while (at < end) {
		const struct profile_record *record = (const void *)at;

		if (record->type != PROFILE_TAKEN)
			file_log(file, record->type, 0, record + 1,
				 record->size - sizeof(*record), NULL, 0);
		at += record->size;
	}
}

void file_end(struct file *file)
{
	file->header->ended_ns = now_ns();
	__atomic_store_n(&file->header->state, PROFILE_ENDED, __ATOMIC_RELEASE);
}

uint64_t file_sample(const struct file *file, uint64_t index)
{
	if (file->header->sample_width == 4)
		return ((const uint32_t *)(const void *)file->samples)[index];
	return ((const uint64_t *)(const void *)file->samples)[index];
}
