/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a profile file says that its process is called, for people. */
#ifndef PROCESS_NAMES_H
#define PROCESS_NAMES_H

#include "reader/profile_file.h"

/*
 * Each is to be freed. What it was started as; if the file does not say, what
 * its own name says.
 */
char *process_names_program(const struct profile_file *file);

/* Its command line, and the machine that it ran on; NULL: not known. */
char *process_names_command_line(const struct profile_file *file);
char *process_names_host(const struct profile_file *file);

#endif
