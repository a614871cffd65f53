// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Starting and stopping the sample array. The tag tells our profile from one
 * that the program started with a call of its own.
 */
#include "sampler.h"
#include "device.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define TAG	0x50524c44	/* no dialect has it */

int sampler_choose(struct sampler *sampler, uint32_t rate)
{
	struct profil_features features;

	if (libprofil_device_call(PROFIL_IOC_FEATURES, &features) < 0)
		return errno;
	while (rate > PROFIL_RATE_CLOCK && !(features.rates & (1U << rate)))
		rate--;
	sampler->rate = rate;
	sampler->flags = rate == PROFIL_RATE_FAST ?
				 features.flags & PROFIL_RANDOM : 0;
	return 0;
}

int sampler_start(struct sampler *sampler, struct file *file, uint64_t base)
{
	struct profile_header *header = file->header;
	struct profil_samples request = {
		.buf = (uintptr_t)(file->samples + base * header->sample_width),
		.nsamples = header->capacity - base,
		.width = header->sample_width,
		.rate = sampler->rate,
		.flags = sampler->flags,
		.tag = TAG,
	};

	if (libprofil_device_call(PROFIL_IOC_SAMPLES, &request) < 0)
		return errno;
	sampler->file = file;
	sampler->base = base;
	sampler->page = (const void *)(uintptr_t)request.page;
	header->rate = sampler->rate;
	header->flags = sampler->flags;
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
	struct profil_status last;

	if (!sampler_runs(sampler) ||
	    libprofil_device_call(PROFIL_IOC_STOP, &last) < 0)
		return;
	sampler->base += last.nsamples;
	sampler->file->header->dropped += last.dropped;
	sampler->page = NULL;
}

void sampler_discard(void)
{
	struct profil_status last;

	libprofil_device_call(PROFIL_IOC_STOP, &last);
}
