/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The forms in which a profile is written. Each is a row of this table, and has
 * a file of its name here with a function report_NAME() in it; all else that
 * has to know of it derives from the table, or is held against it by
 * tests/tools/formats.sh.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include "content/report.h"

/*
 * Name; what the summary of options says behind it; whether it is not for
 * terminals; how many functions it has if nobody says (0: all). The first one
 * is what is written if none is asked for.
 */
#define FORMATS(format)							\
	format(text,		" (default)",		false,	40)	\
	format(folded,		"",			false,	40)	\
	format(gmon,		"",			true,	40)	\
	format(pprof,		"",			true,	40)	\
	format(cpuprofile,	"",			true,	40)	\
	format(callgrind,	"",			false,	40)	\
	format(json,		" (speedscope)",	false,	40)	\
	format(html,		"",			false,	0)

#define FORMAT_WRITER(name, note, binary, limit)			\
	extern report_writer report_##name;
FORMATS(FORMAT_WRITER)
#undef FORMAT_WRITER

#endif
