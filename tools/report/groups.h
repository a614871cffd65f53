/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GROUPS_H
#define GROUPS_H

#include "content/report.h"

/* How many samples each thread, or whatever report->by says, has, as text. */
report_writer report_groups;

#endif
