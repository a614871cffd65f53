/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is reported: a profile, and how. */
#ifndef REPORT_H
#define REPORT_H

#include "content/call_tree.h"
#include "content/functions.h"
#include "profile/profile.h"

#include <stdio.h>

/* What samples may be told apart by. */
enum report_by { BY_THREAD, BY_PROCESS, BY_OBJECT, BY_SYSCALL };

struct report {
	struct profile		*profile;
	struct functions	functions;
	struct call_tree	calls;	/* n is 0: there are no stacks */
	const char		*object;	/* gmon: name or path; NULL */
	unsigned int		limit;		/* text, html: rows; 0: all */
	size_t			width;		/* text: of a line; 0: any */
	const struct report	*before;	/* diff: what it is held against */
	const char		*callee;	/* callers: a pattern */
	enum report_by		by;		/* groups */
};

/* Writes it to @out; false, with a message, if it cannot be done. */
typedef bool report_writer(const struct report *report, FILE *out);

#endif
