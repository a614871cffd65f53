/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text in the columns of a terminal. */
#ifndef TEXT_COLUMNS_H
#define TEXT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns that @out has; 0: it is no terminal, and lines may have any length. */
size_t text_columns_of(FILE *out);

/* How many columns @text takes. */
size_t text_columns_width(const char *text);

/*
 * Prints @text in @width columns: what is too long loses its middle, and what is
 * shorter is filled up if @fill.
 */
void text_columns_print(FILE *out, const char *text, size_t width, bool fill);

#endif
