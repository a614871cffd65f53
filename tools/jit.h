/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Code that a process has made itself, as it says in perf-PID.map. */
#ifndef JIT_H
#define JIT_H

#include <stdint.h>

typedef void jit_add(void *context, uint64_t start, uint64_t size,
		     const char *name);

/* Calls @add with each entry for @pid, from @directory (if any) or /tmp. */
void jit_read(const char *directory, uint32_t pid, jit_add *add, void *context);

#endif
