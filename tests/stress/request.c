// SPDX-License-Identifier: LGPL-2.1-or-later
/* Requests; see request.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "request.h"

struct profil_histogram histogram_of(const struct profil_region *regions, uint32_t n)
{
	return (struct profil_histogram) {
		.regions = (uintptr_t)regions,
		.nregions = n,
		.region_size = sizeof(*regions),
	};
}

struct profil_samples samples_of(void *buf, uint64_t n, uint32_t width)
{
	return (struct profil_samples) {
		.buf = (uintptr_t)buf,
		.nsamples = n,
		.width = width,
	};
}

int open_device(void)
{
	return open(DEVICE, O_RDWR | O_CLOEXEC);
}

int request(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg) < 0 ? -errno : 0;
}

bool accounts(const struct profil_status *st)
{
	return st->ticks == st->counted + st->outside + st->dropped;
}
