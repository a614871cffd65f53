/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Code that a process has generated, as listed in perf-PID.map. */
#ifndef JIT_MAP_H
#define JIT_MAP_H

#include "profile/profile.h"

typedef void jit_map_add(void *context, uint64_t start, uint64_t end,
			 const char *name);

/*
 * Calls @add with each function in the map of the object's process, which is in the
 * object's directory, or in /tmp if the profile is not finished. The map must belong to
 * the object's owner. Functions come in order of address and without overlaps: at each
 * address it is the newest one.
 */
void jit_map_read(const struct object *object, jit_map_add *add, void *context);

#endif
