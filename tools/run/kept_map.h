/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of code that a process has generated, copied as perf-PID.map to its profile from its
 * /tmp/perf-PID.map and its jit-PID.dump, which is in /tmp or in the current directory. A
 * later process with the same number may replace these files.
 */
#ifndef KEPT_MAP_H
#define KEPT_MAP_H

#include "attach/attach.h"
#include "reader/profile_file.h"

/* Most bytes that are copied of a file: the process may have one without end. */
#define KEPT_MAP_MOST	(1L << 30)

/* May there be maps? Else three files need not be looked for in each of many profiles. */
bool kept_map_any(void);

/*
 * Copies the map of a profile in @directory. One of another user than the profile's, or
 * of an earlier process, is not copied. After it, the profile may be cut.
 */
void kept_map_take(int directory, const struct profile_file *profile);

/* The same for a process that was attached to, as that of @pid in the directory @path. */
void kept_map_take_from(const char *path, const struct attached *attached, int pid);

#endif
