/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of an output file. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Closes @out. Returns false, after a message, if not all could be written. */
bool output_close(FILE *out);

#endif
