/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DIFF_H
#define DIFF_H

#include "content/report.h"

/* What has changed since report->before, as text. */
report_writer report_diff;

#endif
