/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report opens each program and library, and libdw needs stack for their tables of lines. The
 * usual limits may be too small.
 */
#ifndef LIMITS_H
#define LIMITS_H

/* As many descriptors as the system allows, and stack enough, if it allows that. */
void limits_raise(void);

/* As before: for a program that is started. */
void limits_restore(void);

/* 300 s of CPU time for a report: a program's debug information may ask for any. */
void limits_of_report(void);

#endif
