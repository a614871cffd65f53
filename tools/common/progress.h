/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A line on standard error, if it is a terminal, for a step that takes longer than a
 * second. Messages erase it.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stddef.h>

/* Begins a step, after the end of the one before. @what stays valid until its end. */
void progress_begin(const char *what);

/* The step has done @done of @all. */
void progress_count(size_t done, size_t all);
void progress_end(void);

/* Erases the line for other output on the terminal, and lets it come back. */
void progress_hide(void);
void progress_resume(void);

#endif
