/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

/*
 * Writes @text as a JSON string, quotes included, valid inside an HTML script
 * too. Bytes that are not UTF-8 are taken as Latin-1.
 */
void json_string(FILE *out, const char *text);

#endif
