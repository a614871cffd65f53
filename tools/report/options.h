/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is asked for on the command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "content/selection.h"
#include "content/time_range.h"
#include "formats/format_table.h"

struct options {
	const struct format	*format;
	const char		*output;
	const char		*before;
	struct selection	selection;
	struct time_range	range;
	report_writer		*special;	/* in the place of the format's */
	const char		*callee;
	enum report_by		by;
	unsigned int		limit;
	bool			limited;
	bool			code;
};

/* What is left begins at argv[optind]. What is wrong ends the process. */
void options_parse(struct options *options, int argc, char **argv);

/* Ends the process, after a message. */
void options_fail(void) __attribute__((noreturn));

#endif
