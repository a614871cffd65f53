/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of profil report and profil annotate. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "content/selection.h"
#include "content/time_range.h"
#include "formats/format_table.h"

struct options {
	const struct format	*format;
	const char		*output;
	char			**before;	/* --diff: the files of the other side */
	int			nbefore;
	struct selection	selection;
	struct time_range	range;
	struct name_pattern	*phase;
	enum profile_shown	shown;		/* --wall, --waits */
	report_writer		*special;	/* instead of the format's writer */
	struct name_pattern	*callee;
	enum report_by		by;
	enum report_sort	sort;
	double			least;		/* percent */
	unsigned int		limit;
	bool			limited;
	bool			code;
	bool			open;		/* the page, in a browser */
};

/* Parses the options. The files begin at argv[optind]. An error ends the process. */
void options_parse(struct options *options, int argc, char **argv);

/* Refuses options that profil annotate, or profil report if not @annotates, does not have. */
void options_check(const struct options *options, bool annotates);

/* Ends the process, after a hint at --help. */
void options_fail(void) __attribute__((noreturn));

#endif
