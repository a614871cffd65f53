/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a histogram of the running program by function. */
#ifndef EXAMPLES_SYMBOLS_H
#define EXAMPLES_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* Start and end of the program's own text, defined by the linker. */
extern const char __executable_start[], etext[];

/*
 * Prints the histogram's counts by function, largest first. It has n counters of
 * 2 bytes; counter i is for the 2 bytes of text at start + 2 * i. Returns the sum
 * of the counts, or -1 if the program's symbol table cannot be read.
 */
long symbols_print(const unsigned short *counters, size_t n, uintptr_t start);

#endif
