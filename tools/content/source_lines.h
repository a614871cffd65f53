/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The places of a report by line of source: that of the innermost inlined call. */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include "content/report.h"

/* For each place, the first one with the same line or, without one, the same function. */
size_t *source_lines_first(const struct report *report);

/* "words.c:25  find", or the function alone. The caller frees it. */
char *source_lines_name(const struct report *report, size_t place);

#endif
