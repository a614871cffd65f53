/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PRELOAD_GMON_H
#define PRELOAD_GMON_H

#include "file.h"

/* Remembers how many samples a child that is now forked is to have. */
void gmon_before_fork(void);

/*
 * In a fork child, whose samples begin anew: counts those of its @parent until
 * the fork, as libc has what its parent counted.
 */
void gmon_after_fork(const struct file *parent);

#endif
