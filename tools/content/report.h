/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The forms in which a profile is written: one function each. */
#ifndef REPORT_H
#define REPORT_H

#include "content/function_rows.h"
#include "profile/profile.h"

#include <stdio.h>

struct report {
	struct profile		*profile;
	struct functions	functions;
	const char		*object;	/* gmon: name or path; NULL */
	unsigned int		limit;		/* text, html: rows; 0: all */
	size_t			width;		/* text: of a line; 0: any */
	const struct report	*before;	/* diff: what it is held against */
};

/* Each writes to @out; false, with a message, if it cannot be done. */
typedef bool report_writer(const struct report *report, FILE *out);

report_writer report_text, report_folded, report_gmon, report_pprof,
	report_callgrind, report_json, report_cpuprofile, report_html;

/* What has changed since report->before, as text. */
report_writer report_diff;

/* The lines below a table: how much, and how good. */
void report_totals(const struct report *report, FILE *out);

/* For people, to be freed: what a function is called, and where it is hottest. */
char *report_function_name(const struct row *row);
char *report_place_name(const struct report *report, const struct row *row);

/* The command line of a process, or its name. */
const char *report_process_title(const struct profile *profile,
				 const struct process *process);

#endif
