/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What there is when the command has ended. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "run/options.h"

#include <stdint.h>

/*
 * Finishes the files, and prints the table, or why there is none. @cpu_ns is the
 * CPU time of the command and of what it has waited for.
 */
void outcome_print(const struct options *options, const char *command,
		   uint64_t cpu_ns);

#endif
