/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GZIP_H
#define GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One member of gzip's, and all of it. False: it is too large, or has failed. */
bool gzip_write(FILE *out, uint8_t *bytes, size_t size);

#endif
