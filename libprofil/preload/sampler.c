// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Starting and stopping the sample array. The tag tells our profile from one
 * that the program started with a call of its own.
 *
 * Its commands are bare system calls: the library's own are the program's here,
 * and watched; see calls.c.
 *
 * The page that shows what the profile does is memory of the program's address
 * space, which may unmap it: it is looked at with care.
 */
#include "sampler.h"
#include "device.h"
#include "memory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAG	0x50524c44	/* no dialect has it */

/* 0 or an errno. @fd is the device, or -1. */
static int request(unsigned long command, void *argument, int fd)
{
	int own = -1, error = 0;

	if (fd < 0) {
		own = libprofil_device_open();
		if (own < 0)
			return libprofil_device_error(errno);
		fd = own;
	}
	if (syscall(SYS_ioctl, fd, command, argument) < 0)
		error = libprofil_device_error(errno);
	if (own >= 0)
		syscall(SYS_close, own);
	return error;
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
		error = request(PROFIL_IOC_SAMPLES, samples, fd);
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
		.nsamples = file->room - base,
		.width = header->sample_width,
		.tag = TAG,
	};
	int error = base > file->room ? EFBIG :
		    request_best(sampler, &samples, fd);

	if (error)
		return error;
	sampler->file = file;
	sampler->base = base;
	sampler->page = (const void *)(uintptr_t)samples.page;
	header->rate = samples.rate;
	header->flags = samples.flags;
	header->period_ns =
		sampler->page ? sampler->page->period_ns : header->period_ns;
	return 0;
}

bool sampler_status(const struct sampler *sampler, struct profil_status *status)
{
	if (!sampler->page ||
	    !libprofil_memory_is_readable(sampler->page, sizeof(*status)))
		return false;
	if (sampler->page->tag != TAG ||
	    sampler->page->mode != PROFIL_MODE_SAMPLES)
		return false;
	*status = *sampler->page;
	return true;
}

bool sampler_runs(const struct sampler *sampler)
{
	struct profil_status status = { .size = sizeof(status) };

	return sampler_status(sampler, &status);
}

uint64_t sampler_position(const struct sampler *sampler)
{
	struct profil_status status = { .nsamples = 0 };

	sampler_status(sampler, &status);
	return sampler->base + status.nsamples;
}

void sampler_stop(struct sampler *sampler)
{
	struct profil_status last = { .size = sizeof(last) };

	if (!sampler_runs(sampler) || request(PROFIL_IOC_STOP, &last, -1))
		return;
	sampler->base += last.nsamples;
	sampler->file->header->ticks += last.ticks;
	sampler->file->header->counted += last.counted;
	sampler->file->header->dropped += last.dropped;
	sampler->page = NULL;
}

bool sampler_other_runs(void)
{
	struct profil_status status = { .size = sizeof(status) };

	return !request(PROFIL_IOC_STATUS, &status, -1) && status.tag != TAG &&
	       status.state == PROFIL_STATE_ON;
}

void sampler_discard(void)
{
	struct profil_status last = { .size = sizeof(last) };

	request(PROFIL_IOC_STOP, &last, -1);
}
