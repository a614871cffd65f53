/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The timer's interrupts alone, in instructions: from the kernel's trace of them,
 * with the time stamp counter as its clock. What a thread does on its way back to
 * user mode is not in it.
 */
#ifndef _BENCH_TRACE_H
#define _BENCH_TRACE_H

#include "measure.h"

/* From here on they are traced, */
void trace_begin(void);

/* up to here: the length of each, and of what is traced of it. */
void trace_end(struct gaps *gaps);

#endif /* _BENCH_TRACE_H */
