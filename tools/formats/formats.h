/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The forms in which a profile is written: one function each. */
#ifndef FORMATS_H
#define FORMATS_H

#include "content/report.h"

report_writer report_text, report_folded, report_gmon, report_pprof,
	report_callgrind, report_json, report_cpuprofile, report_html;

#endif
