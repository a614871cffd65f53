/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of the object [kernel]: system calls and faults. */
#ifndef SYSTEM_CALLS_H
#define SYSTEM_CALLS_H

#include "object/function_table.h"

#include <stdint.h>

/*
 * Adds the system calls of callers with @bits, 64 or 32, at KERNEL_FAULT and
 * KERNEL_CALL(). From then on, each address of the table is a function of its own.
 */
void system_calls_add(struct function_table *table, uint32_t bits);

/* The name for an unknown system call at @address. The caller frees it. */
char *system_calls_name(uint64_t address);

#endif
