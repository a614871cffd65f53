/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a program can be profiled, as its file says. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

/*
 * Says on stderr why the program cannot be profiled, if that can be told from
 * what is in its file. False: it must not even be tried.
 */
bool program_check(const char *name);

/* Whether it runs as somebody else: then nothing is preloaded. */
bool program_changes_user(const char *name);

#endif
