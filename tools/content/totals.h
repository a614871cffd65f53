/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The totals of a profile. */
#ifndef TOTALS_H
#define TOTALS_H

#include "content/report.h"

#define NS_PER_SECOND	1e9

/* 0 if @whole is 0. */
double totals_percent(uint64_t part, uint64_t whole);

/* @one if @n is 1, else @many. */
const char *totals_by_number(uint64_t n, const char *one, const char *many);

/* The number of processes with samples, and of all selected ones. */
size_t totals_sampled(const struct profile *profile);
size_t totals_processes(const struct profile *profile);

/* What the seconds of the profile are: "CPU time". */
const char *totals_time(const struct profile *profile);

/* Prints the lines below a table. */
void totals_write(const struct report *report, FILE *out);

#endif
