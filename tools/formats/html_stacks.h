/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The call stacks in the data of the page. */
#ifndef HTML_STACKS_H
#define HTML_STACKS_H

#include "content/report.h"

/* Writes the member "stacks". The table of the page has the first @n functions. */
void html_stacks(const struct report *report, size_t n, FILE *out);

#endif
