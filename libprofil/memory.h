/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be done with memory, asked before it is done. */
#ifndef LIBPROFIL_MEMORY_H
#define LIBPROFIL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The calls that fail with EFAULT where a system call would. None of these
 * changes a byte, allocates, or touches errno.
 */
bool libprofil_memory_is_user(uint64_t address, uint64_t size);
/* How many of these bytes are in user space: up to its end. */
uint64_t libprofil_memory_user_bytes(uint64_t address, uint64_t size);
bool libprofil_memory_is_readable(const void *address, size_t size);
bool libprofil_memory_is_writable(void *address, size_t size);

#endif
