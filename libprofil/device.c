// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * /dev/profil: open, one ioctl, close.
 *
 * Nothing is kept between calls: the profile belongs to the address space, not
 * to a descriptor, and programs close descriptors that they do not know. Any
 * thread may call this at any time, from signal handlers too: no allocation,
 * no lock, no variable but errno.
 *
 * open and close go through syscall(2), because libc's are cancellation
 * points and profil() must not become one: a thread cancelled between the two
 * would leave its descriptor behind.
 */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Neither the open nor any command is known to return EINTR, but a filter or a
 * tracer can make them: nothing has happened then, so they are run again.
 */
int libprofil_device_open(void)
{
	int fd;

	do
		fd = (int)syscall(SYS_openat, AT_FDCWD, PROFIL_DEVICE,
				  O_RDWR | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/*
 * No node, a node that is left over from a module that is gone, or anything that
 * opens under our name but does not know our command numbers.
 */
int libprofil_device_error(int error)
{
	return error == ENOENT || error == ENXIO || error == ENOTDIR ||
	       error == ENOTTY ? ENODEV : error;
}

/* All our commands return exactly 0. What returns something else is not ours. */
static int command_device(int fd, unsigned long command, void *argument)
{
	int result;

	do
		result = ioctl(fd, command, argument);
	while (result < 0 && errno == EINTR);

	if (result == 0)
		return 0;
	return result < 0 ? libprofil_device_error(errno) : ENODEV;
}

int libprofil_device_call(unsigned long command, void *argument)
{
	int before = errno;
	int fd = libprofil_device_open();
	int error;

	if (fd < 0) {
		errno = libprofil_device_error(errno);
		return -1;
	}

	error = command_device(fd, command, argument);
	/* Linux has closed fd even where close returns an error. */
	(void)syscall(SYS_close, fd);

	errno = error ? error : before;
	return error ? -1 : 0;
}
