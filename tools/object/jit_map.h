/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Code that a process has made itself, as it says in perf-PID.map. */
#ifndef JIT_MAP_H
#define JIT_MAP_H

#include <stdint.h>

typedef void jit_map_add(void *context, uint64_t start, uint64_t end,
			 const char *name);

/*
 * Calls @add with each piece of code of @pid, from @directory (if any) or /tmp,
 * from a file that is @owner's. Pieces are in order and do not overlap: of
 * several at one address it is the newest.
 */
void jit_map_read(const char *directory, uint32_t pid, uint32_t owner,
		  jit_map_add *add, void *context);

#endif
