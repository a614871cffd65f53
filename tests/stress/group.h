/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A memory cgroup: little memory, and how much of it the kernel holds. */
#ifndef STRESS_GROUP_H
#define STRESS_GROUP_H

#include <stdbool.h>

#define GROUP	"/tmp/stress.cgroup/stress"

/*
 * With @high as its memory.high, or NULL for no limit. Beyond it they are
 * slowed and their pages go to swap; memory.max would kill, and the kernel's
 * complaint of that is one.
 */
void group_make(const char *high);

/* The calling process goes there. */
void group_join(void);

/* Bytes of the kernel's that belong to the group; -1 if it does not say. */
long group_kernel_bytes(void);

/* It holds no more of them than before, but for what CPUs keep. */
bool group_memory_is_back(long before);

/* The module can be removed, and has been. */
bool module_goes(void);

#endif /* STRESS_GROUP_H */
