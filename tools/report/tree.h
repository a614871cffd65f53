/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TREE_H
#define TREE_H

#include "content/report.h"

/* Who called whom, as text: from the outermost functions to what they called, */
report_writer report_tree;

/* and from the functions called report->callee to their callers. */
report_writer report_tree_callers;

#endif
