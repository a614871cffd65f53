/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for addresses of the running program, and the table they are for. */
#ifndef EXAMPLES_SYMBOLS_H
#define EXAMPLES_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* First and last address of the program's own text, from the linker. */
extern const char __executable_start[], etext[];

/*
 * Prints where a histogram's counts lie, by function, largest first:
 * n 2-byte counters, the i-th for the 2 bytes of text at start + 2 * i.
 * Returns their sum, or -1 if the program's symbol table cannot be read.
 */
long symbols_print(const unsigned short *counters, size_t n, uintptr_t start);

#endif
