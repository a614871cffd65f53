/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DIFF_H
#define DIFF_H

#include "content/report.h"

/* --diff: what has changed since report->before. */
report_writer report_diff;

#endif
