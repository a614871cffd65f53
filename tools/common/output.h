/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is written for others to read. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Closes @out; false, after a message, if what was written to it has not all
 * arrived.
 */
bool output_close(FILE *out);

#endif
