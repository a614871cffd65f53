/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON within a page. */
#ifndef HTML_JSON_H
#define HTML_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Takes @value over. HTML finds no end of the script in it. */
void html_json_write(json_t *value, FILE *out);

#endif
