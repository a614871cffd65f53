// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profile file: made, sized and mapped.
 *
 * The kernel writes the samples into the mapping, and so do we with the header
 * and the log, so nothing has to be done at the end of the process, whatever
 * the end is. No descriptor stays open.
 *
 * The file is sparse. Its size is address space for the profile, not disk
 * space: 2^33 samples are 99 days of CPU time at 1000 samples a second. Where
 * files have no holes, or address space is short, it is smaller, and a program
 * that limits or locks its own memory makes it smaller; see limits.c.
 *
 * The samples are not inherited by fork children: a child that is not ours to
 * see (a bare clone system call) must not write into its parent's samples.
 * Header and log are, so that the child can copy them.
 */
#include "file.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEADER_BYTES	4096UL
#define LOG_BYTES	(4UL << 20)
#define LOG_FIRST	(12UL << 10)
#define LOG_STEP	(60UL << 10)
#define FIRST_SAMPLE	(HEADER_BYTES + LOG_BYTES)

#define CAPACITY_MOST	((uint64_t)1 << (sizeof(void *) == 8 ? 33 : 25))
/* What is left for exit handlers: half an hour of them. */
#define CAPACITY_EXIT	((uint64_t)1 << 21)
/* Where room is disk space at once: 17 minutes at 1000 a second. */
#define CAPACITY_SOLID	((uint64_t)1 << 20)

#define PAGE		4096UL

static bool new_mappings_are_locked;

void file_expect_locking(bool locked)
{
	new_mappings_are_locked = locked;
}

static size_t sample_bytes(uint64_t samples)
{
	return (samples * sizeof(void *) + PAGE - 1) & ~(PAGE - 1);
}

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
 * mlockall(MCL_FUTURE) would have all of it in memory, and on the disk. What is
 * not locked can grow without being locked.
 */
static void *map_unlocked(int fd, size_t bytes)
{
	size_t first = FIRST_SAMPLE + PAGE;
	void *map = mmap(NULL, first, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	void *grown;

	if (map == MAP_FAILED)
		return map;
	munlock(map, first);
	grown = mremap(map, first, bytes, MREMAP_MAYMOVE);
	if (grown == MAP_FAILED)
		munmap(map, first);
	return grown;
}

static void *map_bytes(int fd, size_t bytes)
{
	if (new_mappings_are_locked)
		return map_unlocked(fd, bytes);
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/*
 * Maps the file with room for as many samples as it and the address space take,
 * @capacity or a quarter of that and so on. The number, or 0.
 */
static uint64_t map_file(struct file *file, int fd, uint64_t capacity)
{
	for (; capacity; capacity = less(capacity)) {
		size_t bytes = FIRST_SAMPLE + sample_bytes(capacity);
		void *map = MAP_FAILED;

		if (ftruncate(fd, (off_t)(FIRST_SAMPLE +
					  capacity * sizeof(void *))) == 0)
			map = map_bytes(fd, bytes);
		else if (errno != EFBIG && errno != EINVAL && errno != ENOSPC &&
			 errno != EOVERFLOW)
			return 0;
		if (map != MAP_FAILED) {
			file->header = map;
			file->log = (char *)map + HEADER_BYTES;
			file->samples = (char *)map + FIRST_SAMPLE;
			file->room = capacity;
			break;
		}
	}
	return capacity;
}

/*
 * Whether the file, most of which is one hole, has any: where holes are disk
 * space, and where nobody can tell where they are. Readers would read all of
 * them there, and on ramfs even keep them in memory.
 */
static bool has_holes(int fd, const struct stat *status)
{
	return (uint64_t)status->st_blocks * 512 <= FIRST_SAMPLE / 2 &&
	       lseek(fd, 0, SEEK_HOLE) < (off_t)FIRST_SAMPLE;
}

/* What a file with holes may have, or one of a file system without. */
static uint64_t most_of_kind(struct file *file, int fd, uint64_t capacity)
{
	struct stat status;

	if (ftruncate(fd, FIRST_SAMPLE) < 0 || fstat(fd, &status) < 0)
		return 0;
	file->device = status.st_dev;
	file->inode = status.st_ino;
	if (capacity > CAPACITY_SOLID && !has_holes(fd, &status))
		return CAPACITY_SOLID;
	return capacity;
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

/*
 * Before the file can be told to be a profile, it is locked. The lock is the
 * open file's, which the mapping keeps when the descriptor has gone: until
 * exec, exit or whatever else ends it, readers see that the file is written to.
 */
static int fill_file(struct file *file, int fd, uint64_t capacity, int pid)
{
	int error;

	flock(fd, LOCK_EX | LOCK_NB);
	error = reserve(file, fd, LOG_FIRST);
	if (error)
		return error;
	errno = EFBIG;
	capacity = most_of_kind(file, fd, capacity);
	if (capacity)
		capacity = map_file(file, fd, capacity);
	if (!capacity)
		return errno;
	/* A core has all of a mapping whose file has been removed. */
	madvise(file->header, FIRST_SAMPLE + sample_bytes(capacity),
		MADV_DONTDUMP);
	madvise(file->samples, sample_bytes(capacity), MADV_DONTFORK);
	write_header(file->header, capacity, pid);
	return 0;
}

int file_create(struct file *file, const char *directory, const char *name,
		uint64_t capacity)
{
	uint64_t most = most_samples();
	int fd, error, pid = (int)getpid();

	if (!most)
		return EFBIG;
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

bool file_is_there(const struct file *file)
{
	return file->header &&
	       libprofil_memory_is_writable(file->header, sizeof(*file->header)) &&
	       !memcmp(file->header->magic, PROFILE_MAGIC,
		       sizeof(file->header->magic));
}

bool file_is_ours(const struct file *file)
{
	return file_is_there(file) && file->header->pid == (uint32_t)getpid();
}

static void shrink_samples(struct file *file, uint64_t room)
{
	size_t bytes = sample_bytes(room ? room : 1);
	size_t mapped = sample_bytes(file->room);

	if (bytes >= mapped)
		return;
	munmap(file->samples + bytes, mapped - bytes);
	file->room = bytes / sizeof(void *);
}

void file_limit(struct file *file, uint64_t room)
{
	shrink_samples(file, room);
	file->header->capacity = file->room;
}

void file_fold(struct file *file, uint64_t room)
{
	struct profile_header *header = file->header;

	/* Another thread that has something to log finds no room. */
	if (header->log_capacity > file->reserved) {
		header->log_capacity = file->reserved;
		munmap(file->log + file->reserved, LOG_BYTES - file->reserved);
	}
	shrink_samples(file, room);
}

static void unfold_log(struct file *file)
{
	size_t mapped = HEADER_BYTES + file->reserved;
	char *map;

	munlock(file->header, mapped);
	map = mremap(file->header, mapped, FIRST_SAMPLE, MREMAP_MAYMOVE);
	if (map == MAP_FAILED)
		return;
	file->header = (void *)map;
	file->log = map + HEADER_BYTES;
	file->header->log_capacity = LOG_BYTES;
}

static void unfold_samples(struct file *file)
{
	size_t mapped = sample_bytes(file->room);
	uint64_t room = file->header->capacity;

	munlock(file->samples, mapped);
	for (; room > file->room; room = less(room)) {
		void *grown = mremap(file->samples, mapped, sample_bytes(room),
				     MREMAP_MAYMOVE);

		if (grown != MAP_FAILED) {
			file->samples = grown;
			file->room = room;
			break;
		}
	}
	file->header->capacity = file->room;
}

void file_unfold(struct file *file)
{
	unfold_log(file);
	unfold_samples(file);
}

void file_forget(struct file *file)
{
	if (file->header)
		munmap(file->header, HEADER_BYTES + file->header->log_capacity);
	file->header = NULL;
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
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

/* More room for a log that has become long: rare. */
static int extend(struct file *file)
{
	uint64_t size;
	int fd = file_open(file, &size);
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

void file_trim(const struct file *file, uint64_t samples)
{
	uint64_t size = FIRST_SAMPLE + (samples + CAPACITY_EXIT) * sizeof(void *);
	uint64_t was;
	int fd = file_open(file, &was);

	if (fd < 0)
		return;
	/* If that fails the file stays long. */
	if (was > size && ftruncate(fd, (off_t)size) < 0)
		errno = 0;
	close(fd);
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
