/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON in the page. */
#ifndef HTML_JSON_H
#define HTML_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Writes @value, so that HTML finds no end of the script in it. Takes @value over. */
void html_json_write(json_t *value, FILE *out);

#endif
