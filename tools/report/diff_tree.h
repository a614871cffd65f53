/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DIFF_TREE_H
#define DIFF_TREE_H

#include "content/report.h"

/* --tree and --callers with --diff: what has changed since report->before. */
report_writer report_diff_tree;
report_writer report_diff_tree_callers;

#endif
