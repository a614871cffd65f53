/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counters of a program built with -pg, made from its samples. */
#ifndef PRELOAD_GMON_COUNTERS_H
#define PRELOAD_GMON_COUNTERS_H

#include "file.h"
#include "gmon_out.h"

/* Makes counters, still off, for the range that libc derives from @low and @high. */
void gmon_counters_set_range(unsigned long low, unsigned long high);
bool gmon_counters_are_there(void);
void gmon_counters_free(void);

/* Switch counting on and off. The sampler goes on in both cases. */
void gmon_counters_on(void);
void gmon_counters_off(void);

/* The histogram of the counters, with the addresses of a file loaded @bias higher. */
struct gmon_out_histogram gmon_counters_histogram(uint64_t bias);

/* Before a fork: remembers how many samples the child must count. */
void gmon_counters_before_fork(void);

/*
 * In a fork child: counts its @parent's samples until the fork, because libc's
 * counters would include them too. The child's own samples begin anew.
 */
void gmon_counters_after_fork(const struct file *parent);

/* There are no samples to count. */
void gmon_counters_without_file(void);

#endif
