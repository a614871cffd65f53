/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ioctl() of the library that is linked in here, by the name that the build
 * gives it there: its commands go to whoever takes them over. It knows of nobody
 * above it.
 */
#ifndef PRELOAD_DEVICE_IOCTL_H
#define PRELOAD_DEVICE_IOCTL_H

typedef int device_ioctl_function(int fd, unsigned long command, void *argument);

int device_ioctl(int fd, unsigned long command, void *argument);

/* From now on, to @function; before, to the kernel. */
void device_ioctl_take_over(device_ioctl_function *function);

#endif
