/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of the page's script. */
#ifndef HTML_VALUE_H
#define HTML_VALUE_H

#include "common/varints.h"

#include <jansson.h>
#include <stdio.h>

/* Writes @value, so that HTML finds no end of the script in it. Takes @value over. */
void html_value_json(json_t *value, FILE *out);

/* Packs numbers into text: writes a base64 string with quotes. */
void html_value_packed(const struct varints *packed, FILE *out);

#endif
