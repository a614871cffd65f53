/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GROUPS_H
#define GROUPS_H

#include "content/report.h"

/* --by: the samples of each thread, process, object or system call. */
report_writer report_groups;

#endif
