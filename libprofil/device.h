/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one way from the library into the kernel module. */
#ifndef LIBPROFIL_DEVICE_H
#define LIBPROFIL_DEVICE_H

#include <linux/profil.h>

/* So often a call is run again that was interrupted: a seccomp filter can say so for ever. */
#define LIBPROFIL_DEVICE_TRIES	1000

/*
 * Opens the device for callers that need a descriptor. Returns it, or -1 with errno
 * from open(2), never EINTR: EPERM instead.
 */
int libprofil_device_open(void);

/*
 * Translates an errno of libprofil_device_open() or of a command into the one for
 * programs: ENODEV if there is no module, EPERM if each try was interrupted.
 */
int libprofil_device_error(int error);

/*
 * Runs one PROFIL_IOC_* command. Returns 0 and leaves errno alone, or -1 with
 * errno: ENODEV without the module; EACCES, EPERM, EMFILE, ENFILE or ENOMEM from
 * open(2); or an error of the command.
 */
int libprofil_device_call(unsigned long command, void *argument);

#endif
