// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The size of the file and of its mapping. file_size.c chooses it; limits.c shrinks
 * it when the program limits or locks its memory.
 *
 * Fork children do not inherit the mapping of samples and stacks: a child of a bare
 * clone(), which this library does not see, must not write into its parent's. They
 * inherit header and log, to copy them. So these have a mapping of their own, close to the
 * first samples: each table of pages takes a process that ends soon 15,000 instructions.
 */
#include "file_room.h"
#include "file_log.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is mapped of header and log at first. */
#define LOG_MAPPED	(64UL << 10)
/*
 * The kernel's tables for 1 GiB of addresses. The end of a process looks at each entry from
 * the first sample to the end of its tables, which is not far for so many bytes of samples.
 */
#define TABLES		(1UL << 30)
#define TABLES_REST	(256UL << 10)

static bool new_mappings_are_locked;
/* A file system that is known to have holes; 0: none yet. */
static dev_t with_holes;

void file_room_expect_locking(bool locked)
{
	/* A fork child copies each page that it writes to. */
	if (new_mappings_are_locked != locked)
		new_mappings_are_locked = locked;
}

/*
 * Under mlockall(MCL_FUTURE) a new mapping is locked, so all of the file would be in
 * memory and on the disk. So map a small part, unlock it, and let that grow: an
 * unlocked mapping stays unlocked.
 */
static void *map_unlocked(void *hint, int fd, size_t bytes, off_t at)
{
	void *map = mmap(hint, FILE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	void *grown;

	if (map == MAP_FAILED)
		return map;
	munlock(map, FILE_PAGE);
	grown = mremap(map, FILE_PAGE, bytes, MREMAP_MAYMOVE);
	if (grown == MAP_FAILED)
		munmap(map, FILE_PAGE);
	return grown;
}

static void *map_bytes(void *hint, int fd, size_t bytes, off_t at)
{
	if (new_mappings_are_locked)
		return map_unlocked(hint, fd, bytes, at);
	return mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
}

/*
 * A good address for @bytes of samples and stacks, if it is free: in a fork child that of the
 * parent's, which it has not inherited.
 */
static void *samples_hint(const struct file *file, size_t bytes)
{
	uintptr_t here = (uintptr_t)&with_holes & ~(TABLES - 1);

	if (file->samples)
		return file->samples;
	return here > bytes ? (void *)(((here - bytes) & ~(TABLES - 1)) - TABLES_REST) : NULL;
}

/* 0 or an errno. A fork child's parent may have its log before the samples. */
static int map_log(struct file *file, int fd, size_t bytes)
{
	char *hint = file->samples - bytes;
	char *map = map_bytes(file->log == hint + FILE_LOG_AT ? hint - bytes : hint, fd, bytes, 0);

	if (map == MAP_FAILED)
		return ENOMEM;
	file->header = (void *)map;
	file->log = map + FILE_LOG_AT;
	file->maps.bytes = bytes;
	return 0;
}

int file_room_lengthen_log(struct file *file, int fd)
{
	struct file_maps maps = file->maps;
	void *header = file->header;
	int error = map_log(file, fd, FILE_SAMPLES_AT);

	if (error)
		return error;
	if (maps.first) {
		munmap(header, maps.bytes);
	} else {
		file->maps.first = header;
		file->maps.first_bytes = maps.bytes;
	}
	return 0;
}

/* 0 or an errno. */
static int map_file(struct file *file, int fd, const struct file_size *size)
{
	size_t samples = file_size_of_samples(size->samples);
	uint64_t end = size->stacks ? samples + size->stacks :
				      size->samples * sizeof(void *);
	char *map;

	if (ftruncate(fd, (off_t)(FILE_SAMPLES_AT + end)) < 0)
		return errno;
	map = map_bytes(samples_hint(file, samples + size->stacks), fd,
			samples + size->stacks, FILE_SAMPLES_AT);
	if (map == MAP_FAILED)
		return ENOMEM;
	file->samples = map;
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

/* Tries the whole size, then a quarter of it, and so on. */
static int map_what_fits(struct file *file, int fd, struct file_size *size)
{
	int error = EFBIG;

	while (size->samples) {
		error = map_file(file, fd, size);
		if (!is_too_large(error))
			break;
		file_size_lessen(size);
	}
	return error;
}

/*
 * Whether the file system stores holes without disk space, and can find them. Nearly
 * all of the file is one hole. Without SEEK_HOLE readers would read the whole hole, and
 * ramfs would keep it in memory.
 */
static bool has_holes(int fd, const struct stat *status)
{
	return (uint64_t)status->st_blocks * 512 <= FILE_SAMPLES_AT / 2 &&
	       lseek(fd, 0, SEEK_HOLE) < (off_t)FILE_SAMPLES_AT;
}

/* 0 or an errno. A fork child's file is mostly where its parent's was. */
static int fit_kind(struct file *file, int fd, struct file_size *size)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return errno;
	file->device = status.st_dev;
	file->inode = status.st_ino;
	if (with_holes && status.st_dev == with_holes)
		return 0;
	if (ftruncate(fd, FILE_SAMPLES_AT) < 0 || fstat(fd, &status) < 0)
		return errno;
	if (has_holes(fd, &status))
		with_holes = status.st_dev;
	else
		file_size_keep_small(size);
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
	bytes = file_size_of_samples(size.samples) + size.stacks;
	file->maps = (struct file_maps){ .first = NULL };
	error = map_log(file, fd, LOG_MAPPED);
	if (error) {
		munmap(file->samples, bytes);
		return error;
	}
	/* A core dump contains all of a mapping whose file was removed. */
	madvise(file->samples, bytes, MADV_DONTDUMP);
	madvise(file->samples, bytes, MADV_DONTFORK);
	return 0;
}

static void shrink_samples(struct file *file, uint64_t room)
{
	size_t bytes = file_size_of_samples(room ? room : 1);
	size_t mapped = file_size_of_samples(file->room);

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

	file_size_share(&size, file_size_of_space(limit));
	if (size.stacks < stacks + FILE_SIZE_STACKS_WORTH) {
		size = (struct file_size){ .samples = file->room };
		file_size_share(&size, file_size_of_space(limit));
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
	int state;

	if (file_log_begin(file, &state)) {
		size_t used = FILE_LOG_AT + file->reserved;

		if (file->maps.bytes > used) {
			header->log_capacity = file->reserved;
			munmap((char *)header + used, file->maps.bytes - used);
			file->maps.bytes = used;
		}
		file_log_end(file, state);
	}
	shrink_samples(file, room);
	/* One page stays, from which the mapping can grow again. */
	shrink_stacks(file, FILE_PAGE);
}

static void unfold_log(struct file *file)
{
	int state;

	if (!file_log_begin(file, &state))
		return;
	munlock(file->header, file->maps.bytes);
	if (file->maps.first)
		munlock(file->maps.first, file->maps.first_bytes);
	file->header->log_capacity = FILE_LOG_BYTES;
	file_log_end(file, state);
}

static void unfold_samples(struct file *file)
{
	size_t mapped = file_size_of_samples(file->room);
	struct file_size size = { .samples = file->header->capacity };

	munlock(file->samples, mapped);
	for (; size.samples > file->room; file_size_lessen(&size)) {
		void *grown = mremap(file->samples, mapped,
				     file_size_of_samples(size.samples), MREMAP_MAYMOVE);

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
