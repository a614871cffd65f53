// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device_ioctl.h"

#include <sys/syscall.h>
#include <unistd.h>

static device_ioctl_function *taker;

int device_ioctl(int fd, unsigned long command, void *argument)
{
	device_ioctl_function *function = __atomic_load_n(&taker, __ATOMIC_RELAXED);

	if (function)
		return function(fd, command, argument);
	return (int)syscall(SYS_ioctl, fd, command, argument);
}

void device_ioctl_take_over(device_ioctl_function *function)
{
	__atomic_store_n(&taker, function, __ATOMIC_RELAXED);
}
