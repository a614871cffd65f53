/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel is asked for, as functions of an object [kernel]. */
#ifndef SYSTEM_CALLS_H
#define SYSTEM_CALLS_H

#include "object/function_table.h"

#include <stdint.h>

/*
 * Those of callers of so many @bits, 64 or 32, at KERNEL_FAULT and KERNEL_CALL().
 * Each address of the table is then a function.
 */
void system_calls_add(struct function_table *table, uint32_t bits);

/* To be freed: the name of one at @address that has none. */
char *system_calls_name(uint64_t address);

#endif
