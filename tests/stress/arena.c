// SPDX-License-Identifier: LGPL-2.1-or-later
/* Buffers between guards; see arena.h. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"

#define HUGE	(2UL << 20)

static void *map_file(size_t bytes)
{
	int fd = memfd_create("arena", MFD_CLOEXEC);
	void *mem = MAP_FAILED;

	if (fd < 0)
		return mem;
	if (ftruncate(fd, (off_t)bytes) == 0)
		mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return mem;
}

static void *map_kind(enum arena_kind kind, size_t bytes)
{
	if (kind == ARENA_FILE)
		return map_file(bytes);
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS |
		    (kind == ARENA_SHARED ? MAP_SHARED : MAP_PRIVATE), -1, 0);
}

/* Room for a whole huge page within. */
static size_t room(enum arena_kind kind, size_t size)
{
	return kind == ARENA_HUGE && size < 2 * HUGE ? 2 * HUGE : size;
}

bool arena_make(struct arena *arena, enum arena_kind kind, size_t size, size_t misaligned)
{
	size_t pages = (room(kind, size) + misaligned + PAGE - 1) / PAGE;

	arena->bytes = (pages + 2) * PAGE;
	arena->map = map_kind(kind, arena->bytes);
	if (arena->map == MAP_FAILED)
		return false;
	if (kind == ARENA_HUGE)
		madvise(arena->map, arena->bytes, MADV_HUGEPAGE);
	memset(arena->map, POISON, arena->bytes);
	arena->buf = arena->map + PAGE + misaligned;
	arena->size = size;
	return true;
}

void arena_free(struct arena *arena)
{
	munmap(arena->map, arena->bytes);
}

bool arena_interior(const struct arena *arena, char **from, size_t *bytes)
{
	size_t lead = -(size_t)arena->buf & (PAGE - 1);

	if (arena->size < lead + PAGE)
		return false;
	*from = arena->buf + lead;
	*bytes = (arena->size - lead) & ~(PAGE - 1);
	return true;
}

bool arena_has_huge(const struct arena *arena)
{
	return arena->bytes >= 2 * HUGE;
}

void arena_touch(const struct arena *arena)
{
	for (size_t at = 0; at < arena->bytes; at += HUGE / 16)
		__atomic_fetch_or(arena->map + at, 0, __ATOMIC_RELAXED);
}

void arena_clear(struct arena *arena)
{
	memset(arena->buf, 0, arena->size);
}

void arena_poison(struct arena *arena)
{
	memset(arena->buf, POISON, arena->size);
}

static bool poison(const char *from, const char *to)
{
	const unsigned char *at = (const unsigned char *)from;

	return from == to || (at[0] == POISON && memcmp(at, at + 1, (size_t)(to - from) - 1) == 0);
}

bool arena_guarded(const struct arena *arena)
{
	return poison(arena->map, arena->buf) &&
	       poison(arena->buf + arena->size, arena->map + arena->bytes);
}

bool arena_poisoned(const struct arena *arena)
{
	return poison(arena->buf, arena->buf + arena->size);
}
