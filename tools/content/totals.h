/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much there is in a profile, and how good it is. */
#ifndef TOTALS_H
#define TOTALS_H

#include "content/report.h"

#define NS_PER_SECOND	1e9

/* 0 of nothing. */
double totals_percent(uint64_t part, uint64_t whole);

/* Processes with samples, and all; what was not asked for is not there. */
size_t totals_sampled(const struct profile *profile);
size_t totals_processes(const struct profile *profile);

/* The lines below a table: how much, and how good. */
void totals_write(const struct report *report, FILE *out);

#endif
