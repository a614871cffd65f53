// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Starting and stopping the sample array. The tag tells our profile from one
 * that the program started with a call of its own.
 */
#include "sampler.h"
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>

#define TAG	0x50524c44	/* no dialect has it */

/* As libprofil says it. */
static int device_error(int error)
{
	return error == ENOENT || error == ENXIO || error == ENOTDIR ||
	       error == ENOTTY ? ENODEV : error;
}

int sampler_open(int *fd)
{
	*fd = open("/dev/profil", O_RDWR | O_CLOEXEC);
	return *fd < 0 ? device_error(errno) : 0;
}

static int request(struct profil_samples *samples, int fd)
{
	if (fd < 0)
		return libprofil_device_call(PROFIL_IOC_SAMPLES, samples) ?
			errno : 0;
	return ioctl(fd, PROFIL_IOC_SAMPLES, samples) ? device_error(errno) : 0;
}

/* The next lower rate may be granted where this one is not. */
static int request_best(struct sampler *sampler, struct profil_samples *samples,
			int fd)
{
	int error;

	for (;;) {
		samples->rate = sampler->rate;
		samples->flags = sampler->rate == PROFIL_RATE_FAST ?
			PROFIL_RANDOM : 0;
		error = request(samples, fd);
		if (error != EACCES || sampler->rate == PROFIL_RATE_CLOCK)
			return error;
		sampler->rate--;
	}
}

int sampler_start(struct sampler *sampler, struct file *file, uint64_t base, int fd)
{
	struct profile_header *header = file->header;
	struct profil_samples samples = {
		.size = sizeof(samples),
		.buf = (uintptr_t)(file->samples + base * header->sample_width),
		.nsamples = header->capacity - base,
		.width = header->sample_width,
		.tag = TAG,
	};
	int error = request_best(sampler, &samples, fd);

	if (error)
		return error;
	sampler->file = file;
	sampler->base = base;
	sampler->page = (const void *)(uintptr_t)samples.page;
	header->rate = samples.rate;
	header->flags = samples.flags;
	header->period_ns = sampler->page->period_ns;
	return 0;
}

bool sampler_runs(const struct sampler *sampler)
{
	return sampler->page && sampler->page->tag == TAG &&
	       sampler->page->mode == PROFIL_MODE_SAMPLES;
}

uint64_t sampler_position(const struct sampler *sampler)
{
	if (!sampler_runs(sampler))
		return sampler->base;
	return sampler->base +
	       __atomic_load_n(&sampler->page->nsamples, __ATOMIC_RELAXED);
}

void sampler_stop(struct sampler *sampler)
{
	struct profil_status last = { .size = sizeof(last) };

	if (!sampler_runs(sampler) ||
	    libprofil_device_call(PROFIL_IOC_STOP, &last) < 0)
		return;
	sampler->base += last.nsamples;
	sampler->file->header->dropped += last.dropped;
	sampler->page = NULL;
}

void sampler_discard(void)
{
	struct profil_status last = { .size = sizeof(last) };

	libprofil_device_call(PROFIL_IOC_STOP, &last);
}
