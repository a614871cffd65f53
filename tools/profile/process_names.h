/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names in a profile file, cleaned for printing. The caller frees them. */
#ifndef PROCESS_NAMES_H
#define PROCESS_NAMES_H

#include "reader/profile_file.h"

/* The program's name, or if the file has none, the one in the file's own name. */
char *process_names_program(const struct profile_file *file);

/* The command line, and the host that it ran on; NULL if unknown. */
char *process_names_command_line(const struct profile_file *file);
char *process_names_host(const struct profile_file *file);

#endif
