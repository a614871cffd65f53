/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a program can be profiled, judged by its file. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

/* Whether execvp(3) would find it. */
bool program_exists(const char *name);

enum program_kind {
	PROGRAM_NONE,		/* it cannot be run */
	PROGRAM_PRELOADED,	/* the library is preloaded, or profil must leave it alone */
	PROGRAM_WIDTH,		/* its addresses have another width: it gets no profile */
	PROGRAM_STATIC,		/* nothing is preloaded into it */
	PROGRAM_FOREIGN,	/* it has another C library, and does not start with ours */
};

/*
 * What the file shows that execvp(3) would run; of a script, that of its interpreter.
 * @keep leaves the file open, for one system call less. The command does not get it.
 */
enum program_kind program_kind(const char *name, bool keep);

/*
 * Why the dynamic linker preloads nothing into the program: "has file capabilities",
 * or "changes its user or group". NULL if its file gives no reason.
 */
const char *program_privileges(const char *name);

#endif
