/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "content/report.h"

/*
 * Prints functions called @name, with their samples line by line: source if
 * there is any and @code is false, otherwise disassembly. False: no such
 * function has samples.
 */
bool annotate(const struct report *report, const char *name, bool code,
	      FILE *out);

#endif
