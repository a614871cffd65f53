/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The forms in which a profile is written: one function each. */
#ifndef REPORT_H
#define REPORT_H

#include "functions.h"
#include "profile.h"

#include <stdio.h>

struct report {
	struct profile		*profile;
	struct functions	functions;
	const char		*object;	/* gmon: name or path; NULL */
	unsigned int		limit;		/* text, html: rows; 0: all */
};

/* Each writes to @out; false, with a message, if it cannot be done. */
typedef bool report_writer(const struct report *report, FILE *out);

report_writer report_text, report_folded, report_gmon, report_pprof,
	report_callgrind, report_json, report_cpuprofile, report_html;

/* The lines below a table: how much, how good, at what price. */
void report_totals(const struct report *report, FILE *out);

/*
 * Where objects are put in formats that have one address space for all: no two
 * overlap, and programs that cannot be moved are where they belong.
 */
uint64_t *report_layout(const struct profile *profile);

/* Samples a second, rounded. */
uint64_t report_rate(const struct profile *profile);

#endif
