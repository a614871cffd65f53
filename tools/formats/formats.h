/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output formats. Each has a row in this table, and a file NAME.c with a function
 * report_NAME(). The rest of the code uses the table, and tests/tools/formats.py checks
 * the documents against it.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include "content/report.h"

/*
 * Name; note for --help; whether it is binary, so not for terminals; what it needs;
 * default of --limit (0: all). The first format is the default.
 */
#define FORMATS(format)							\
	format(text,		" (default)",		false,	NEEDS_TOTALS,	40)	\
	format(csv,		"",			false,	NEEDS_TOTALS,	0)	\
	format(folded,		"",			false,	NEEDS_CALLS,	40)	\
	format(gmon,		"",			true,	NEEDS_NOTHING,	40)	\
	format(pprof,		"",			true,	NEEDS_NOTHING,	40)	\
	format(cpuprofile,	"",			true,	NEEDS_TIMES,	40)	\
	format(callgrind,	"",			false,	NEEDS_NOTHING,	40)	\
	format(json,		" (speedscope)",	false,	NEEDS_CALLS | NEEDS_TIMES, 40) \
	format(firefox,		"",			false,	NEEDS_CALLS | NEEDS_TIMES, 40) \
	format(html,		"",			false,	NEEDS_CALLS | NEEDS_TIMES, 0)

#define FORMAT_WRITER(name, note, binary, needs, limit)			\
	extern report_writer report_##name;
FORMATS(FORMAT_WRITER)
#undef FORMAT_WRITER

#endif
