/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the page has of one function. */
#ifndef HTML_FUNCTION_H
#define HTML_FUNCTION_H

#include "content/report.h"

#include <jansson.h>

/* Function @i, with its shares and its listings. */
json_t *html_function(const struct report *report, size_t i);

/* How many parts samples are shared out to: processes, or their names. */
bool html_by_name(const struct profile *profile);
size_t html_groups(const struct profile *profile);

/* Index of what the page has in the place of a process. */
size_t html_group_of(const struct profile *profile, uint32_t process);

#endif
