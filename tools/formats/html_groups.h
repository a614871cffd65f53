/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a page, or if they are many, their names. */
#ifndef HTML_GROUPS_H
#define HTML_GROUPS_H

#include "profile/profile.h"

/* How many parts samples are shared out to: processes, or their names. */
bool html_groups_by_name(const struct profile *profile);
size_t html_groups_count(const struct profile *profile);

/* Index of what the page has in the place of a process. */
size_t html_groups_of(const struct profile *profile, uint32_t process);

#endif
