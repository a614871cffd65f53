/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of the objects [kernel], [waiting] and [runnable]. */
#ifndef SYSTEM_CALLS_H
#define SYSTEM_CALLS_H

#include "object/function_table.h"
#include "profile/profile.h"

#include <stdint.h>

/*
 * Adds the functions of @object. From then on, each address of the table is a function of
 * its own.
 */
void system_calls_add(struct function_table *table, const struct object *object);

/* The name for an unknown system call at @address. The caller frees it. */
char *system_calls_name(const struct object *object, uint64_t address);

#endif
