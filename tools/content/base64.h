/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef BASE64_H
#define BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes @n bytes as base64, RFC 4648, with its padding. */
void base64_write(const uint8_t *bytes, size_t n, FILE *out);

#endif
