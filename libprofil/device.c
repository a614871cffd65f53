// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * /dev/profil: open, one ioctl, close.
 *
 * The library keeps no state between calls: the profile belongs to the address
 * space, not to a descriptor, and programs close descriptors that they do not
 * know. Any thread may call this at any time, also in a signal handler: there is
 * no allocation, no lock, and no variable but errno.
 *
 * open and close go through syscall(2): libc's functions are cancellation points,
 * and a thread cancelled between the two would leak its descriptor.
 */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel returns EINTR from neither the open nor a command, but a seccomp
 * filter or a tracer can. The call did nothing then, so run it again. A filter
 * that never answers anything else refuses it.
 */
int libprofil_device_open(void)
{
	int fd, tries = LIBPROFIL_DEVICE_TRIES;

	do
		fd = (int)syscall(SYS_openat, AT_FDCWD, PROFIL_DEVICE,
				  O_RDWR | O_CLOEXEC);
	while (fd < 0 && errno == EINTR && --tries);

	if (fd < 0 && errno == EINTR)
		errno = EPERM;
	return fd;
}

/*
 * ENOENT, ENOTDIR: no node. ENXIO: a node left over from an unloaded module.
 * ENOTTY: another file of this name, which does not know the commands.
 */
int libprofil_device_error(int error)
{
	if (error == EINTR)
		return EPERM;
	return error == ENOENT || error == ENXIO || error == ENOTDIR ||
	       error == ENOTTY ? ENODEV : error;
}

/* Every command returns exactly 0; another result means that this is another driver. */
static int command_device(int fd, unsigned long command, void *argument)
{
	int result, tries = LIBPROFIL_DEVICE_TRIES;

	do
		result = ioctl(fd, command, argument);
	while (result < 0 && errno == EINTR && --tries);

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
	/* Linux closes fd even if close returns an error. */
	(void)syscall(SYS_close, fd);

	errno = error ? error : before;
	return error ? -1 : 0;
}
