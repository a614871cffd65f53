/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a program can be profiled, judged by its file. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

/* Whether execvp(3) would find it. */
bool program_exists(const char *name);

/*
 * Warns if the program's file shows that it cannot be profiled. Returns false if it
 * would not even start with the library preloaded, or, without a message, if it
 * cannot be run.
 */
bool program_check(const char *name);

/*
 * Why the dynamic linker preloads nothing into the program: "has file capabilities",
 * or "changes its user or group". NULL if its file gives no reason.
 */
const char *program_privileges(const char *name);

#endif
