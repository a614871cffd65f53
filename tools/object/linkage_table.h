/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The linkage table of a program or library. */
#ifndef LINKAGE_TABLE_H
#define LINKAGE_TABLE_H

#include <gelf.h>
#include <stdint.h>

typedef void linkage_table_add(void *context, uint64_t start, uint64_t end,
			       const char *name);

/*
 * Calls @add with "function@plt" for each entry of @elf, at its address in the file. For
 * x86 only.
 */
void linkage_table_read(Elf *elf, linkage_table_add *add, void *context);

#endif
