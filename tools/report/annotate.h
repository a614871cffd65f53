/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "content/report.h"

/*
 * Prints the functions that match @function, with the samples of each line: source if
 * there is any and @code is false, otherwise instructions. Returns false, after a
 * message, if no such function has samples.
 */
bool annotate(const struct report *report, const struct name_pattern *function, bool code,
	      FILE *out);

#endif
