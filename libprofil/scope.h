/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The profile that a call is for: the process's, or the calling thread's. */
#ifndef LIBPROFIL_SCOPE_H
#define LIBPROFIL_SCOPE_H

#include <linux/profil.h>
#include <stdint.h>

/**
 * struct scope - the profile that a call is for. In each field, 0 is the process's
 * profile, and PROFIL_THREAD is the calling thread's own.
 * @start: for a call that starts a profile.
 * @stop:  for a call that stops one.
 */
struct scope {
	uint32_t	start;
	uint32_t	stop;
};

/* Stops the process's profile, whichever call started it. 0, or -1 with errno. */
int libprofil_scope_stop(void);

/*
 * Runs PROFIL_IOC_THREAD_STOP or PROFIL_IOC_THREAD_STATUS for the calling thread's
 * own profile. 0, or -1 with errno.
 */
int libprofil_scope_own(unsigned long command, struct profil_status *status);

#endif
