/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counters of a program built with -pg, made from its samples. */
#ifndef PRELOAD_GMON_COUNTERS_H
#define PRELOAD_GMON_COUNTERS_H

#include "file.h"
#include "gmon_out.h"

/* New ones for the range that libc makes of @low and @high; nothing counts yet. */
void gmon_counters_set_range(unsigned long low, unsigned long high);
bool gmon_counters_are_there(void);
void gmon_counters_free(void);

/* From now on samples count; until now they did, and the sampler goes on. */
void gmon_counters_on(void);
void gmon_counters_off(void);

/* As they are, with the addresses of a file that was loaded @bias higher. */
struct gmon_out_histogram gmon_counters_histogram(uint64_t bias);

/* Remembers how many samples a child that is now forked is to have. */
void gmon_counters_before_fork(void);

/*
 * In a fork child, whose samples begin anew: counts those of its @parent until
 * the fork, as libc has what its parent counted.
 */
void gmon_counters_after_fork(const struct file *parent);

#endif
