/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report: a profile, and how to write it. */
#ifndef REPORT_H
#define REPORT_H

#include "content/call_tree.h"
#include "content/functions.h"
#include "content/name_pattern.h"
#include "profile/profile.h"

#include <stdio.h>

/* The values of --by, and of --sort. */
enum report_by { BY_THREAD, BY_PROCESS, BY_OBJECT, BY_SYSCALL, BY_LINE, BY_PHASE };
enum report_sort { SORT_SELF, SORT_TOTAL, SORT_NAME };

struct report {
	struct profile		*profile;
	struct functions	functions;
	struct call_tree	calls;
	const struct name_pattern *object;	/* --object for gmon, or NULL */
	unsigned int		limit;		/* rows to write; 0: all */
	double			least;		/* --min, in percent */
	enum report_sort	sort;
	size_t			width;		/* of a line of text; 0: unlimited */
	const struct report	*before;	/* --diff: the earlier profile */
	const struct name_pattern *callee;	/* --callers */
	enum report_by		by;		/* --by */
};

/* Writes a report to @out. Returns false, after a message, if it cannot. */
typedef bool report_writer(const struct report *report, FILE *out);

#endif
