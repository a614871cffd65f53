/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions in the symbol table of a program or library. */
#ifndef SYMBOL_TABLE_H
#define SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

typedef void symbol_table_add(void *context, uint64_t start, uint64_t end,
			      const char *name);

/* Calls @add with each function, at its address in the module. */
void symbol_table_read(Dwfl_Module *module, symbol_table_add *add,
		       void *context);

#endif
