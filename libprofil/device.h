/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one way from the library into the kernel module. */
#ifndef LIBPROFIL_DEVICE_H
#define LIBPROFIL_DEVICE_H

#include <linux/profil.h>

/*
 * The device by a descriptor, for who needs one for longer: opened, or -1 with what
 * open(2) says. EINTR is not among that.
 */
int libprofil_device_open(void);

/* What an errno of that, or of a command, is to programs: ENODEV, no module. */
int libprofil_device_error(int error);

/*
 * Runs one PROFIL_IOC_* command. Returns 0 with errno as it was, or -1 with
 * errno: ENODEV without the module, what open(2) says if the device cannot be
 * opened (EACCES, EPERM, EMFILE, ENFILE, ENOMEM), what the command says.
 */
int libprofil_device_call(unsigned long command, void *argument);

#endif
