/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A buffer between guards: bytes of poison on both sides, to the ends of pages
 * and one page more, which nobody may ever write.
 */
#ifndef STRESS_ARENA_H
#define STRESS_ARENA_H

#include "harness.h"

#define POISON	0xa5

enum arena_kind {
	ARENA_PRIVATE, ARENA_SHARED, ARENA_FILE, ARENA_HUGE,
};

/**
 * struct arena
 * @map:   all of it; a guard page, whole pages around the buffer, a guard page.
 * @bytes: length of @map.
 * @buf:   the buffer, of any alignment.
 * @size:  length of @buf.
 */
struct arena {
	char *map;
	size_t bytes;
	char *buf;
	size_t size;
};

/* False without memory. The buffer is full of poison, too. */
bool arena_make(struct arena *arena, enum arena_kind kind, size_t size, size_t misaligned);
void arena_free(struct arena *arena);

/* Pages that have nothing but the buffer in them; false if there are none. */
bool arena_interior(const struct arena *arena, char **from, size_t *bytes);

/* Whether there is room for a huge page in it. */
bool arena_has_huge(const struct arena *arena);

/* Writes to a few pages of each such room what they hold, beside whoever writes there. */
void arena_touch(const struct arena *arena);

/* For the buffer to be used, and after that. */
void arena_clear(struct arena *arena);
void arena_poison(struct arena *arena);

bool arena_guarded(const struct arena *arena);
bool arena_poisoned(const struct arena *arena);

#endif /* STRESS_ARENA_H */
