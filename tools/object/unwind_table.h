/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The starts of functions, from the unwind table. */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include <gelf.h>
#include <stdint.h>

typedef void unwind_table_add(void *context, uint64_t start);

/* Calls @add with each start, an address in the file. */
void unwind_table_read(Elf *elf, unwind_table_add *add, void *context);

#endif
