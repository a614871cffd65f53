/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of memory before its use. */
#ifndef LIBPROFIL_MEMORY_H
#define LIBPROFIL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * For calls that must fail with EFAULT where a system call would. These functions
 * change no byte, do not allocate, and leave errno alone.
 */

/* How many of these bytes are below the end of user space. */
uint64_t libprofil_memory_user_bytes(uint64_t address, uint64_t size);
bool libprofil_memory_is_readable(const void *address, size_t size);
bool libprofil_memory_is_writable(void *address, size_t size);

#endif
