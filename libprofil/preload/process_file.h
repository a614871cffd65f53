/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes this process's file, as the environment says. */
#ifndef PRELOAD_PROCESS_FILE_H
#define PRELOAD_PROCESS_FILE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes the first file, and its directory if needed; 0 or an errno. Its size is smaller
 * if no profil cuts it (@alone). Keeps what the environment says about later files: the
 * program may clear it before it forks.
 */
int process_file_make(bool alone);

/* In a fork child: makes another file there, for a @log of so many bytes; 0 or an errno. */
int process_file_create(uint64_t log);

/* Whether fork children get files. */
bool process_file_for_children(void);

/* For messages, while there is no file: cuts its path. */
const char *process_file_directory(void);

#endif
