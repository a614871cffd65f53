/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef VISIT_FILES_H
#define VISIT_FILES_H

typedef void file_visitor(int directory, const char *name, void *context);

/*
 * Calls @visit for each entry of @directory, from the position of the descriptor on,
 * whose name does not begin with a dot. @visit may remove, move or replace files.
 * Returns 0 or an errno.
 */
int visit_files(int directory, file_visitor *visit, void *context);

/* The same for names that begin with a dot. */
int visit_files_hidden(int directory, file_visitor *visit, void *context);

#endif
