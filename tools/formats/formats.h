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
 * Name; note for --help; whether it is binary, so not for terminals; whether it needs the
 * call tree; default of --limit (0: all). The first format is the default.
 */
#define FORMATS(format)							\
	format(text,		" (default)",		false,	false,	40)	\
	format(csv,		"",			false,	false,	0)	\
	format(folded,		"",			false,	true,	40)	\
	format(gmon,		"",			true,	false,	40)	\
	format(pprof,		"",			true,	false,	40)	\
	format(cpuprofile,	"",			true,	false,	40)	\
	format(callgrind,	"",			false,	false,	40)	\
	format(json,		" (speedscope)",	false,	true,	40)	\
	format(firefox,		"",			false,	true,	40)	\
	format(html,		"",			false,	true,	0)

#define FORMAT_WRITER(name, note, binary, calls, limit)			\
	extern report_writer report_##name;
FORMATS(FORMAT_WRITER)
#undef FORMAT_WRITER

#endif
