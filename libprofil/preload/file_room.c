// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The size of the file and of its mapping. file_size.c chooses it; limits.c shrinks
 * it when the program limits or locks its memory.
 *
 * Fork children do not inherit the mapping of samples and stacks: a child of a bare
 * clone(), which this library does not see, must not write into its parent's. They
 * inherit header and log, to copy them, from the first fork on: two areas of memory take a
 * process that does not fork 12,000 instructions more than one.
 */
#include "file_room.h"
#include "file_log.h"
#include "system.h"

#include <errno.h>
#include <sys/mman.h>

static bool new_mappings_are_locked;

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
static void *map_unlocked(int fd, size_t bytes)
{
	size_t first = FILE_SAMPLES_AT + FILE_PAGE;
	void *map = system_map_file(NULL, first, fd);
	void *grown;

	if (map == MAP_FAILED)
		return map;
	munlock(map, first);
	grown = mremap(map, first, bytes, MREMAP_MAYMOVE);
	if (grown == MAP_FAILED)
		munmap(map, first);
	return grown;
}

/*
 * Room that is left between a file above the libraries and the first thread's stack; or more, if
 * the limit of the stack is.
 */
#define STACK_MOST	(64UL << 30)

/*
 * Pages of samples that are in the header's page table: many processes end before they need more,
 * and have two tables less.
 */
#define FIRST_PAGES	16

/*
 * An address for which the kernel has little to allocate, and the end of the process little to
 * search: the first pages of samples are the last ones of their page table, which the header's
 * page shares, and of the table above that. Without it, the kernel looks at hundreds of empty
 * entries behind them. Above the libraries, their tables are there already. A fork child has its
 * parent's header there, and so is below them; @samples, of the mapping before, is there in
 * its own children.
 */
static void *good_place(size_t bytes, const char *samples)
{
#ifdef __LP64__
	const uintptr_t step = 1UL << 30, first = FILE_SAMPLES_AT + FIRST_PAGES * FILE_PAGE;
	uintptr_t room = (bytes / step + 2) * step, here = (uintptr_t)&new_mappings_are_locked;
	uintptr_t below = (here & ~(step - 1)) - room - first;
	uintptr_t above = (here | (step - 1)) + 1 - first;
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);

	if (!samples && stack > above && stack - above > room + STACK_MOST &&
	    stack - above - room > file_size_soft_limit(RLIMIT_STACK))
		return (void *)above;
	if (here < 3 * room)
		return NULL;
	return (void *)(below + FILE_SAMPLES_AT == (uintptr_t)samples ? below - room : below);
#else
	(void)bytes;
	(void)samples;
	return NULL;
#endif
}

static void *map_bytes(int fd, size_t bytes, const char *samples)
{
	if (new_mappings_are_locked)
		return map_unlocked(fd, bytes);
	return system_map_file(good_place(bytes, samples), bytes, fd);
}

/* 0 or an errno. */
static int map_file(struct file *file, int fd, const struct file_size *size)
{
	size_t samples = file_size_of_samples(size->samples);
	uint64_t end = size->stacks ? samples + size->stacks :
				      size->samples * sizeof(void *);
	char *map;

	if (system_ftruncate(fd, (off_t)(FILE_SAMPLES_AT + end)) < 0)
		return errno;
	map = map_bytes(fd, FILE_SAMPLES_AT + samples + size->stacks, file->samples);
	if (map == MAP_FAILED)
		return ENOMEM;
	file->header = (void *)map;
	file->log = map + FILE_LOG_AT;
	file->log_room = FILE_LOG_BYTES;
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

/* Tries the whole size, then a quarter of it, and so on. */
static int map_what_fits(struct file *file, int fd, struct file_size *size)
{
	int error = EFBIG;

	while (size->samples) {
		error = map_file(file, fd, size);
		if (!is_too_large(error))
			break;
		file_size_reduce(size);
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
	       system_lseek(fd, 0, SEEK_HOLE) < (off_t)FILE_SAMPLES_AT;
}

/* 0 or an errno. A fork child knows what its parent has found out. */
static int fit_kind(struct file *file, int fd, struct file_size *size)
{
	struct stat status;

	if (!file->sparse && system_ftruncate(fd, FILE_SAMPLES_AT) < 0)
		return errno;
	if (system_fstat(fd, &status) < 0)
		return errno;
	if (file->sparse && status.st_dev != file->device) {
		file->sparse = false;
		return fit_kind(file, fd, size);
	}
	file->device = status.st_dev;
	file->inode = status.st_ino;
	if (!file->sparse && !has_holes(fd, &status))
		file_size_keep_small(size);
	else if (!file->sparse)
		file->sparse = true;
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
	bytes = FILE_SAMPLES_AT + file_size_of_samples(size.samples) + size.stacks;
	/* A core dump contains all of a mapping whose file was removed. */
	system_madvise(file->header, bytes, MADV_DONTDUMP);
	file->shared = system_madvise(file->header, bytes, MADV_DONTFORK) < 0;
	return 0;
}

bool file_room_share(struct file *file)
{
	if (!file->shared)
		file->shared = system_madvise(file->header, FILE_LOG_AT + file->log_room,
					      MADV_DOFORK) == 0;
	return file->shared;
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

static void fold_log(struct file *file)
{
	int state;

	if (!file_log_begin(file, &state))
		return;
	if (file->log_room > file->reserved) {
		file->log_room = file->reserved;
		file->header->log_capacity = file->reserved;
		munmap(file->log + file->reserved, FILE_LOG_BYTES - file->reserved);
	}
	file_log_end(file, state);
}

void file_room_fold(struct file *file, uint64_t room)
{
	fold_log(file);
	shrink_samples(file, room);
	/* One page stays, from which the mapping can grow again. */
	shrink_stacks(file, FILE_PAGE);
}

static void unfold_log(struct file *file)
{
	size_t mapped;
	int state;

	if (!file_log_begin(file, &state))
		return;
	mapped = FILE_LOG_AT + file->log_room;
	munlock(file->header, mapped);
	/*
	 * It grows where it is, as another thread that forks may be looking at it. If the program
	 * has mapped something there meanwhile, the log stays short.
	 */
	if (mremap(file->header, mapped, FILE_SAMPLES_AT, 0) != MAP_FAILED) {
		file->log_room = FILE_LOG_BYTES;
		file->header->log_capacity = FILE_LOG_BYTES;
	}
	file_log_end(file, state);
}

static void unfold_samples(struct file *file, uint64_t room)
{
	size_t mapped = file_size_of_samples(file->room);
	struct file_size size = { .samples = room };

	munlock(file->samples, mapped);
	for (; size.samples > file->room; file_size_reduce(&size)) {
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

static void unfold_stacks(struct file *file, uint64_t room)
{
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

/* The address space may have got a limit meanwhile, by another process or in a signal handler. */
void file_room_unfold(struct file *file)
{
	struct file_size size = {
		.samples = file->header->capacity,
		.stacks = file->stacks_room ? file->header->stacks_capacity : 0,
	};

	file_size_share(&size, file_size_of_space(file_size_soft_limit(RLIMIT_AS)));
	unfold_log(file);
	unfold_samples(file, size.samples);
	unfold_stacks(file, size.stacks);
}
