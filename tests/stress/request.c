// SPDX-License-Identifier: LGPL-2.1-or-later
/* Requests; see request.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "request.h"

struct profil_histogram histogram_of(const struct profil_region *regions, uint32_t n)
{
	return (struct profil_histogram) {
		.size = sizeof(struct profil_histogram),
		.regions = (uintptr_t)regions,
		.nregions = n,
		.region_size = sizeof(*regions),
	};
}

struct profil_samples samples_of(void *buf, uint64_t n, uint32_t width)
{
	return (struct profil_samples) {
		.size = sizeof(struct profil_samples),
		.buf = (uintptr_t)buf,
		.nsamples = n,
		.width = width,
	};
}

struct profil_thread thread_of(uint64_t page, struct profil_status *status)
{
	return (struct profil_thread) {
		.size = sizeof(struct profil_thread),
		.page = page,
		.status = (uintptr_t)status,
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

static bool listed(const int *errors, int error)
{
	for (; *errors; errors++)
		if (-*errors == error)
			return true;
	return error == 0;
}

bool documented(unsigned long command, int error)
{
	static const int ask[] = { EFAULT, EINVAL, E2BIG, EINTR, 0 };
	static const int end[] = { EFAULT, EINVAL, E2BIG, EINTR, 0 };
	static const int begin[] = { EFAULT, EINTR, EINVAL, E2BIG, EACCES, ENOMEM,
				     EDQUOT, 0 };
	static const int unknown[] = { ENOTTY, 0 };

	switch (command) {
	case PROFIL_IOC_FEATURES:
	case PROFIL_IOC_STATUS:
		return listed(ask, error);
	case PROFIL_IOC_THREAD_STATUS:
		return listed(ask, error);
	case PROFIL_IOC_STOP:
	case PROFIL_IOC_THREAD_STOP:
		return listed(end, error);
	case PROFIL_IOC_HISTOGRAM:
	case PROFIL_IOC_SAMPLES:
		return listed(begin, error);
	default:
		return error != 0 && listed(unknown, error);
	}
}

/* What mmap() itself may say, and the device: EINVAL, EACCES, EBUSY, ENOMEM. */
bool documented_of_mmap(int error)
{
	static const int errors[] = {
		EINVAL, EACCES, EBUSY, ENOMEM, EEXIST, EPERM, EOPNOTSUPP, EOVERFLOW, 0,
	};

	return listed(errors, error);
}

bool accounts(const struct profil_status *st)
{
	return st->ticks == st->counted + st->outside + st->dropped;
}
