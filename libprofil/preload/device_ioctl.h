/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The libprofil that is linked in here calls this function in place of ioctl(): the
 * build renames its calls. own_profile.c, a higher layer, takes them over at run time.
 */
#ifndef PRELOAD_DEVICE_IOCTL_H
#define PRELOAD_DEVICE_IOCTL_H

typedef int device_ioctl_function(int fd, unsigned long command, void *argument);

int device_ioctl(int fd, unsigned long command, void *argument);

/* From now on @function gets the commands; until then the kernel gets them. */
void device_ioctl_take_over(device_ioctl_function *function);

#endif
