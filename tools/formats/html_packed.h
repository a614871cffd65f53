/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs numbers into text for the page. */
#ifndef HTML_PACKED_H
#define HTML_PACKED_H

#include "common/varints.h"

#include <stdio.h>

/* Writes a base64 string with quotes. */
void html_packed_write(const struct varints *packed, FILE *out);

#endif
