/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of JSON that more than one format has. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "content/report.h"

void json_text_write(const char *text, FILE *out);

/*
 * The file of a function, which the caller frees, and the line of its declaration or its
 * first line; 0: unknown, and the file is the object.
 */
char *json_text_file(const struct report *report, const struct row *row, int *line);

#endif
