/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text in the columns of a terminal. */
#ifndef TEXT_COLUMNS_H
#define TEXT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The columns of terminal @out; 0 if it is not a terminal: lines are unlimited. */
size_t text_columns_of(FILE *out);

/* The number of columns of @text. */
size_t text_columns_width(const char *text);

/*
 * Prints @text in @width columns. Shortens long text in the middle; with @fill, fills
 * up short text with blanks.
 */
void text_columns_print(FILE *out, const char *text, size_t width, bool fill);

#endif
