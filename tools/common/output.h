/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The standard files, and the end of an output file. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * For profil-report and profil-serve. Descriptors of 0, 1 and 2 that are closed get /dev/null,
 * so that no other file does; what is written to them fails.
 */
void output_begin(void);

/* Closes @out. Returns false, after a message, if not all could be written. */
bool output_close(FILE *out);

#endif
