/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose profile a call is for. */
#ifndef LIBPROFIL_SCOPE_H
#define LIBPROFIL_SCOPE_H

#include <linux/profil.h>
#include <stdint.h>

/**
 * struct scope - whose profile a call is for: the process's, which it is if
 * nothing is said, or PROFIL_THREAD, the calling thread's own.
 * @start: if it starts one.
 * @stop:  if it stops one.
 */
struct scope {
	uint32_t	start;
	uint32_t	stop;
};

/* Stops the process's profile, whoever started it. 0, or -1 with errno. */
int libprofil_scope_stop(void);

/*
 * One of PROFIL_IOC_THREAD_* for the calling thread's own profile, or what there
 * is of it. 0, or -1 with errno.
 */
int libprofil_scope_own(unsigned long command, struct profil_status *status);

#endif
