// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How much of the file there is, on the disk and mapped.
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
#include "file_room.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPACITY_MOST	((uint64_t)1 << (sizeof(void *) == 8 ? 33 : 25))
/* What is left for exit handlers: half an hour of them. */
#define CAPACITY_EXIT	((uint64_t)1 << 21)
/* Where room is disk space at once: 17 minutes at 1000 a second. */
#define CAPACITY_SOLID	((uint64_t)1 << 20)

#define PAGE		4096UL

static bool new_mappings_are_locked;

void file_room_expect_locking(bool locked)
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

	if (size < FILE_SAMPLES_AT)
		return 0;
	size = (size - FILE_SAMPLES_AT) / sizeof(void *);
	return size < CAPACITY_MOST ? size : CAPACITY_MOST;
}

uint64_t file_room_allowed(uint64_t capacity)
{
	uint64_t most = most_samples();

	return capacity && capacity < most ? capacity : most;
}

/* Most of an address space that is limited is for the program. */
static uint64_t less(uint64_t capacity)
{
	uint64_t space = soft_limit(RLIMIT_AS) / 16 / sizeof(void *);

	capacity /= 4;
	return capacity < space ? capacity : space;
}

/*
 * mlockall(MCL_FUTURE) would have all of it in memory, and on the disk. What is
 * not locked can grow without being locked.
 */
static void *map_unlocked(int fd, size_t bytes)
{
	size_t first = FILE_SAMPLES_AT + PAGE;
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
		size_t bytes = FILE_SAMPLES_AT + sample_bytes(capacity);
		void *map = MAP_FAILED;

		if (ftruncate(fd, (off_t)(FILE_SAMPLES_AT +
					  capacity * sizeof(void *))) == 0)
			map = map_bytes(fd, bytes);
		else if (errno != EFBIG && errno != EINVAL && errno != ENOSPC &&
			 errno != EOVERFLOW)
			return 0;
		if (map != MAP_FAILED) {
			file->header = map;
			file->log = (char *)map + FILE_HEADER_BYTES;
			file->samples = (char *)map + FILE_SAMPLES_AT;
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
	return (uint64_t)status->st_blocks * 512 <= FILE_SAMPLES_AT / 2 &&
	       lseek(fd, 0, SEEK_HOLE) < (off_t)FILE_SAMPLES_AT;
}

/* What a file with holes may have, or one of a file system without. */
static uint64_t most_of_kind(struct file *file, int fd, uint64_t capacity)
{
	struct stat status;

	if (ftruncate(fd, FILE_SAMPLES_AT) < 0 || fstat(fd, &status) < 0)
		return 0;
	file->device = status.st_dev;
	file->inode = status.st_ino;
	if (capacity > CAPACITY_SOLID && !has_holes(fd, &status))
		return CAPACITY_SOLID;
	return capacity;
}

int file_room_make(struct file *file, int fd, uint64_t capacity)
{
	errno = EFBIG;
	capacity = most_of_kind(file, fd, capacity);
	if (capacity)
		capacity = map_file(file, fd, capacity);
	if (!capacity)
		return errno;
	/* A core has all of a mapping whose file has been removed. */
	madvise(file->header, FILE_SAMPLES_AT + sample_bytes(capacity),
		MADV_DONTDUMP);
	madvise(file->samples, sample_bytes(capacity), MADV_DONTFORK);
	return 0;
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

void file_room_limit(struct file *file, uint64_t room)
{
	shrink_samples(file, room);
	file->header->capacity = file->room;
}

void file_room_fold(struct file *file, uint64_t room)
{
	struct profile_header *header = file->header;

	/* Another thread that has something to log finds no room. */
	if (header->log_capacity > file->reserved) {
		header->log_capacity = file->reserved;
		munmap(file->log + file->reserved, FILE_LOG_BYTES - file->reserved);
	}
	shrink_samples(file, room);
}

static void unfold_log(struct file *file)
{
	size_t mapped = FILE_HEADER_BYTES + file->reserved;
	char *map;

	munlock(file->header, mapped);
	map = mremap(file->header, mapped, FILE_SAMPLES_AT, MREMAP_MAYMOVE);
	if (map == MAP_FAILED)
		return;
	file->header = (void *)map;
	file->log = map + FILE_HEADER_BYTES;
	file->header->log_capacity = FILE_LOG_BYTES;
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

void file_room_unfold(struct file *file)
{
	unfold_log(file);
	unfold_samples(file);
}

void file_room_trim(const struct file *file, uint64_t samples)
{
	uint64_t size = FILE_SAMPLES_AT + (samples + CAPACITY_EXIT) * sizeof(void *);
	uint64_t was;
	int fd = file_open(file, &was);

	if (fd < 0)
		return;
	/* If that fails the file stays long. */
	if (was > size && ftruncate(fd, (off_t)size) < 0)
		errno = 0;
	close(fd);
}
