/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of paths. */
#ifndef PATH_H
#define PATH_H

/* What is behind the last slash of @path; all of it, if that is nothing. */
const char *path_name(const char *path);

#endif
