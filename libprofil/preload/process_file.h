/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The making of this process's file, where and as the environment says. */
#ifndef PRELOAD_PROCESS_FILE_H
#define PRELOAD_PROCESS_FILE_H

/* The first one, and its directory; 0 or an errno. */
int process_file_make(void);

/* Another one beside it, in a fork child; 0 or an errno. */
int process_file_create(void);

const char *process_file_directory(void);

#endif
