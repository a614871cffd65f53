/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DIFF_TREE_H
#define DIFF_TREE_H

#include "content/report.h"

/*
 * What has changed since report->before in the trees of report_tree and of
 * report_tree_callers.
 */
report_writer report_diff_tree;
report_writer report_diff_tree_callers;

#endif
