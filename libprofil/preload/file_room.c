// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How much of the file there is, on the disk and mapped.
 *
 * The file is sparse. Its size is address space for the profile, not disk
 * space: 2^33 samples are 99 days of CPU time at 1000 samples a second. Where
 * files have no holes, or address space is short, it is smaller, and a program
 * that limits or locks its own memory makes it smaller; see limits.c.
 *
 * Stacks come behind the samples, as a stream of records of which nobody knows
 * how long they will be: they get four times the samples' room. Where a limit
 * leaves less than that for both, each has half of it, so that they last about as
 * long as each other.
 *
 * Samples and stacks are not inherited by fork children: a child that is not ours
 * to see (a bare clone system call) must not write into its parent's.
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

/* Of stacks, by sample: 10 to 30 bytes each have been seen. */
#define STACK_BYTES	32
#define STACKS_LEAST	(1UL << 20)
/* With less room than this, there are none: 1000 records or two. */
#define STACKS_WORTH	(16UL << 10)
/* A disk without holes is for more than this file. */
#define STACKS_SOLID	(2UL << 20)
/* As CAPACITY_EXIT. */
#define STACKS_EXIT	(STACK_BYTES * CAPACITY_EXIT)

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

static uint64_t stack_bytes(uint64_t samples)
{
	uint64_t bytes = (samples * STACK_BYTES + PAGE - 1) & ~(PAGE - 1);

	return bytes < STACKS_LEAST ? STACKS_LEAST : bytes;
}

static uint64_t whole_pages(uint64_t bytes)
{
	return bytes & ~(PAGE - 1);
}

/* Both are given so many bytes, and no more. */
static void share(struct file_size *size, uint64_t bytes)
{
	uint64_t half = whole_pages(bytes / 2);

	if (size->stacks && half < STACKS_WORTH)
		size->stacks = 0;
	if (size->stacks && sample_bytes(size->samples) > half)
		size->samples = half / sizeof(void *);
	if (size->samples > bytes / sizeof(void *))
		size->samples = bytes / sizeof(void *);
	if (size->stacks && size->stacks > bytes - sample_bytes(size->samples))
		size->stacks = whole_pages(bytes - sample_bytes(size->samples));
}

/* A file beyond RLIMIT_FSIZE would be a SIGXFSZ. */
struct file_size file_room_allowed(uint64_t capacity, bool stacks)
{
	uint64_t limit = soft_limit(RLIMIT_FSIZE);
	struct file_size size = { .samples = CAPACITY_MOST };

	if (limit < FILE_SAMPLES_AT)
		return (struct file_size){ .samples = 0 };
	if (capacity && capacity < size.samples)
		size.samples = capacity;
	if (stacks && sizeof(void *) == 8)
		size.stacks = stack_bytes(size.samples);
	share(&size, limit - FILE_SAMPLES_AT);
	return size;
}

/* Most of an address space that is limited is for the program. */
static uint64_t space_for_us(uint64_t limit)
{
	return limit / 16;
}

/* A quarter of what was too much; first of stacks, while they have more. */
static void lessen(struct file_size *size)
{
	if (size->stacks <= sample_bytes(size->samples))
		size->samples /= 4;
	size->stacks = whole_pages(size->stacks / 4);
	if (size->stacks < STACKS_WORTH)
		size->stacks = 0;
	share(size, space_for_us(soft_limit(RLIMIT_AS)));
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

/* 0 or an errno. */
static int map_file(struct file *file, int fd, const struct file_size *size)
{
	size_t samples = sample_bytes(size->samples);
	uint64_t end = size->stacks ? samples + size->stacks :
				      size->samples * sizeof(void *);
	char *map;

	if (ftruncate(fd, (off_t)(FILE_SAMPLES_AT + end)) < 0)
		return errno;
	map = map_bytes(fd, FILE_SAMPLES_AT + samples + size->stacks);
	if (map == MAP_FAILED)
		return ENOMEM;
	file->header = (void *)map;
	file->log = map + FILE_HEADER_BYTES;
	file->samples = map + FILE_SAMPLES_AT;
	file->room = size->samples;
	file->stacks = file->samples + samples;
	file->stacks_room = size->stacks;
	return 0;
}

static bool is_too_large(int error)
{
	return error == EFBIG || error == EINVAL || error == ENOSPC ||
	       error == EOVERFLOW || error == ENOMEM;
}

/* All of it, then a quarter, and so on. */
static int map_what_fits(struct file *file, int fd, struct file_size *size)
{
	int error = EFBIG;

	while (size->samples) {
		error = map_file(file, fd, size);
		if (!is_too_large(error))
			break;
		lessen(size);
	}
	return error;
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

/* A file of a file system without holes. */
static void keep_small(struct file_size *size)
{
	if (size->samples > CAPACITY_SOLID)
		size->samples = CAPACITY_SOLID;
	if (size->stacks > STACKS_SOLID)
		size->stacks = STACKS_SOLID;
}

/* 0 or an errno. */
static int fit_kind(struct file *file, int fd, struct file_size *size)
{
	struct stat status;

	if (ftruncate(fd, FILE_SAMPLES_AT) < 0 || fstat(fd, &status) < 0)
		return errno;
	file->device = status.st_dev;
	file->inode = status.st_ino;
	if ((size->stacks || size->samples > CAPACITY_SOLID) &&
	    !has_holes(fd, &status))
		keep_small(size);
	return 0;
}

int file_room_make(struct file *file, int fd, struct file_size size)
{
	int error = fit_kind(file, fd, &size);
	size_t bytes;

	if (!error)
		error = map_what_fits(file, fd, &size);
	if (error)
		return error;
	bytes = sample_bytes(size.samples) + size.stacks;
	/* A core has all of a mapping whose file has been removed. */
	madvise(file->header, FILE_SAMPLES_AT + bytes, MADV_DONTDUMP);
	madvise(file->samples, bytes, MADV_DONTFORK);
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

static void shrink_stacks(struct file *file, uint64_t room)
{
	if (room >= file->stacks_room)
		return;
	munmap(file->stacks + room, file->stacks_room - room);
	file->stacks_room = room;
}

void file_room_end_stacks(struct file *file, bool none)
{
	shrink_stacks(file, 0);
	if (none) {
		file->header->stacks_offset = 0;
		file->header->stacks_capacity = 0;
	}
}

void file_room_limit(struct file *file, uint64_t limit, uint64_t samples,
		     uint64_t stacks)
{
	struct file_size size = { file->room, file->stacks_room };

	share(&size, space_for_us(limit));
	if (size.stacks < stacks + STACKS_WORTH) {
		size = (struct file_size){ .samples = file->room };
		share(&size, space_for_us(limit));
	}
	shrink_stacks(file, size.stacks);
	shrink_samples(file, size.samples > samples ? size.samples : samples);
	file->header->capacity = file->room;
	if (file->stacks_room)
		file->header->stacks_capacity = file->stacks_room;
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
	/* A page, from which they can grow again. */
	shrink_stacks(file, PAGE);
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
	struct file_size size = { .samples = file->header->capacity };

	munlock(file->samples, mapped);
	for (; size.samples > file->room; lessen(&size)) {
		void *grown = mremap(file->samples, mapped,
				     sample_bytes(size.samples), MREMAP_MAYMOVE);

		if (grown != MAP_FAILED) {
			file->samples = grown;
			file->room = size.samples;
			break;
		}
	}
	file->header->capacity = file->room;
}

static void unfold_stacks(struct file *file)
{
	uint64_t room = file->header->stacks_capacity;
	void *grown;

	if (!file->stacks_room)
		return;
	munlock(file->stacks, file->stacks_room);
	grown = mremap(file->stacks, file->stacks_room, room, MREMAP_MAYMOVE);
	if (grown == MAP_FAILED) {
		shrink_stacks(file, 0);
		return;
	}
	file->stacks = grown;
	file->stacks_room = room;
}

void file_room_unfold(struct file *file)
{
	unfold_log(file);
	unfold_samples(file);
	unfold_stacks(file);
}

void file_room_trim(const struct file *file, uint64_t samples, uint64_t stacks)
{
	uint64_t at = file->header->stacks_offset, was;
	uint64_t size = at ? at + stacks + STACKS_EXIT : FILE_SAMPLES_AT +
			(samples + CAPACITY_EXIT) * sizeof(void *);
	int fd = file_open(file, &was);

	if (fd < 0)
		return;
	/* If that fails the file stays long. */
	if (was > size && ftruncate(fd, (off_t)size) < 0)
		errno = 0;
	close(fd);
}
