/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PRELOAD_GMON_H
#define PRELOAD_GMON_H

/* In a fork child, whose samples begin anew. */
void gmon_after_fork(void);

#endif
