/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A function in the data of the page. */
#ifndef HTML_FUNCTION_H
#define HTML_FUNCTION_H

#include "content/report.h"

#include <stdio.h>

/* Writes function @i, with its shares and its listings. */
void html_function(const struct report *report, size_t i, FILE *out);

#endif
