/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The standard files, and the end of an output file. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * For profil-report and profil-serve: no other file gets the descriptors 0, 1 and 2, also if
 * they are closed: then /dev/null
 * has them, and what is written there fails.
 */
void output_begin(void);

/* Closes @out. Returns false, after a message, if not all could be written. */
bool output_close(FILE *out);

#endif
