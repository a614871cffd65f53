/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions, places and processes in reports. */
#ifndef TITLES_H
#define TITLES_H

#include "content/report.h"

/* A function, as "add (inlined into main)", and its hottest place. The caller frees it. */
char *titles_function(const struct row *row);
char *titles_place(const struct report *report, const struct row *row);

/* The command line of a process, or its name. */
const char *titles_process(const struct profile *profile,
			   const struct process *process);

#endif
