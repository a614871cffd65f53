/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the page has of call stacks. */
#ifndef HTML_STACKS_H
#define HTML_STACKS_H

#include "content/report.h"

/* The member "stacks", of a page that has the first @n functions by themselves. */
void html_stacks(const struct report *report, size_t n, FILE *out);

#endif
