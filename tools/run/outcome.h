/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output after the command has ended. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "attach/attach.h"
#include "run/options.h"

#include <stdint.h>

/*
 * Finishes the files, and prints the table, or the reason why there is none.
 * @cpu_ns is the CPU time of the command and of the children it waited for.
 */
void outcome_print(const struct options *options, const char *command,
		   uint64_t cpu_ns);

/* The same for a process that runs already. */
void outcome_print_attached(const struct options *options,
			    const struct attached *attached);

#endif
