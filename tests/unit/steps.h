/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What code costs, in machine instructions. */
#ifndef _TESTS_STEPS_H
#define _TESTS_STEPS_H

/*
 * Instructions of a call in a child process, which is stepped through, and of
 * what is around it; 0 if there is no ptrace().
 */
int steps(void (*call)(void));

/* Basic blocks so far, of what is compiled to call __sanitizer_cov_trace_pc(). */
extern volatile unsigned long blocks;

#endif /* _TESTS_STEPS_H */
