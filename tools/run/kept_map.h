/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of code that a process has generated, copied from its /tmp/perf-PID.map to its
 * profile: a later process with the same number may replace that file.
 */
#ifndef KEPT_MAP_H
#define KEPT_MAP_H

#include "reader/profile_file.h"

/*
 * Copies the map of a profile in @directory. One of another user than the profile's, or
 * of an earlier process, is not copied. After it, the profile may be cut.
 */
void kept_map_take(int directory, const struct profile_file *profile);

/* Copies @map, which belongs to @owner, as that of process @pid to the directory @path. */
void kept_map_take_from(const char *path, const char *map, uint32_t owner, int pid);

#endif
