// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Starts and stops the sample array. The tag tells its profile from one that the
 * program started itself.
 *
 * Its commands are bare system calls, because own_profile.c takes the library's
 * commands for the program's.
 *
 * The status page is in the program's address space, and the program may unmap it.
 * So test the page before each use.
 */
#include "sampler.h"
#include "device.h"
#include "file_room.h"
#include "memory.h"
#include "start_request.h"
#include "valgrind.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAG	0x50524c44	/* not the number of a dialect */

/* Runs a command; 0 or an errno. @fd is the device, or -1. */
static int request(unsigned long command, void *argument, int fd)
{
	int own = -1, tries = LIBPROFIL_DEVICE_TRIES, error;

	if (fd < 0) {
		own = libprofil_device_open();
		if (own < 0)
			return libprofil_device_error(errno);
		fd = own;
	}
	/* As in device.c, a tracer may interrupt it. */
	do
		error = syscall(SYS_ioctl, fd, command, argument) < 0 ? errno : 0;
	while (error == EINTR && --tries);
	if (own >= 0)
		syscall(SYS_close, own);
	return libprofil_device_error(error);
}

int sampler_set_objects(const struct profil_object *objects, uint32_t n, int fd)
{
	struct profil_object_table table = {
		.size = sizeof(table),
		.nobjects = n,
		.object_size = sizeof(*objects),
		.objects = (uintptr_t)objects,
	};

	return request(PROFIL_IOC_OBJECTS, &table, fd);
}

bool sampler_mapped_path(uint64_t address, char *path, uint32_t size, int fd)
{
	/* Few paths are longer, and the kernel may clear as much memory as it is told. */
	struct profil_path wanted = {
		.size = sizeof(wanted),
		.bytes = size < 256 ? size : 256,
		.address = address,
		.path = (uintptr_t)path,
	};
	int error = request(PROFIL_IOC_PATH, &wanted, fd);

	wanted.bytes = size;
	if (error == ENAMETOOLONG)
		error = request(PROFIL_IOC_PATH, &wanted, fd);
	return !error;
}

static void add_stacks(const struct sampler *sampler, const struct file *file,
		       uint64_t base, struct profil_samples *samples)
{
	if (file->stacks_room < sampler->stacks + PROFIL_STACKS_SIZE_MIN)
		return;
	samples->stacks = (uintptr_t)(file->stacks + sampler->stacks);
	samples->stacks_size = file->stacks_room - sampler->stacks;
	samples->first_sample = base;
	if (sampler->waits)
		samples->flags |= PROFIL_WAITS;
}

/* Starts what this kernel can do of it; 0 or an errno. @later: not at a lower rate. */
static int request_best(struct profil_samples *samples, bool later, int fd)
{
	struct profil_features features = { .size = sizeof(features) };
	int error;

	while ((error = request(PROFIL_IOC_SAMPLES, samples, fd))) {
		request(PROFIL_IOC_FEATURES, &features, fd);
		if ((error == EACCES && later) ||
		    !start_request_reduce(samples, error, features.flags))
			break;
	}
	return error;
}

/* The stream may have waits of an earlier run. */
static uint32_t flags_of_file(const struct sampler *sampler, uint32_t flags)
{
	uint32_t before = sampler->stacks ? sampler->file->header->flags : 0;

	return (flags & ~(PROFIL_LAZY | PROFIL_DONTFORK)) | (before & PROFIL_WAITS);
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
		.rate = sampler->rate,
		.flags = PROFIL_DONTFORK | (sampler->rate == PROFIL_RATE_FAST ? PROFIL_RANDOM : 0),
	};
	bool stacks;
	int error;

	/* Only a process's first profile may end soon. */
	if (!sampler->base)
		samples.flags |= PROFIL_LAZY;
	add_stacks(sampler, file, base, &samples);
	stacks = samples.stacks;
	error = base > file->room ? EFBIG :
		request_best(&samples, base || sampler->stacks, fd);
	if (error)
		return error;
	if (stacks && !samples.stacks)
		file_room_end_stacks(file, !sampler->stacks);
	sampler->file = file;
	sampler->base = base;
	sampler->stacking = samples.stacks;
	sampler->page = (const void *)(uintptr_t)samples.page;
	/* memcheck does not know what an ioctl maps. */
	valgrind_define(sampler->page, sizeof(*sampler->page));
	/* In a fork child it has that of its parent, which may have protected the page. */
	if (sampler->page && (!header->period_ns || header->rate != samples.rate))
		header->period_ns = sampler->page->period_ns;
	/* A later start has the same one: it gives all samples of the file their time. */
	header->rate = sampler->rate = samples.rate;
	header->flags = flags_of_file(sampler, samples.flags);
	return 0;
}

bool sampler_is_gone(const struct sampler *sampler)
{
	return sampler->page &&
	       !libprofil_memory_is_readable(sampler->page, sizeof(*sampler->page));
}

bool sampler_status(const struct sampler *sampler, struct profil_status *status)
{
	/* Once: another thread may stop the profile meanwhile, and leaves the page. */
	const struct profil_status *page =
		__atomic_load_n(&sampler->page, __ATOMIC_RELAXED);

	if (!page || !libprofil_memory_is_readable(page, sizeof(*page)))
		return false;
	if (page->tag != TAG || page->mode != PROFIL_MODE_SAMPLES)
		return false;
	*status = *page;
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

static void add_waits_lost(struct profile_header *header, uint64_t n)
{
	uint32_t room = UINT32_MAX - header->waits_lost;

	header->waits_lost += n < room ? (uint32_t)n : room;
}

void sampler_add_up(const struct sampler *sampler,
		    const struct profil_status *status)
{
	struct profile_header *header = sampler->file->header;

	header->ticks += status->ticks;
	header->counted += status->counted;
	header->dropped += status->dropped;
	if (!header->stacks_offset)
		return;
	header->stack_bytes = sampler->stacks;
	header->stackless += status->ticks;
	if (sampler->stacking) {
		header->stack_bytes += status->stack_bytes;
		header->stackless += status->stackless - status->ticks;
		add_waits_lost(header, status->waits_lost);
	}
}

static void add_run(struct sampler *sampler, const struct profil_status *last)
{
	sampler_add_up(sampler, last);
	sampler->base += last->nsamples;
	if (sampler->stacking)
		sampler->stacks += last->stack_bytes;
	sampler->page = NULL;
}

bool sampler_stop(struct sampler *sampler, int fd)
{
	struct profil_status last = { .size = sizeof(last) };

	if (!sampler_runs(sampler) || request(PROFIL_IOC_STOP, &last, fd))
		return false;
	add_run(sampler, &last);
	return true;
}

void sampler_end(struct sampler *sampler)
{
	struct profil_status last = { .size = sizeof(last) };
	void *page = (void *)(uintptr_t)sampler->page;

	if (!sampler_status(sampler, &last))
		return;
	/*
	 * First not munmap(): another thread may be reading it, and would crash. The kernel may
	 * refuse a new mapping, because of a limit. Then the page must go all the same: the kernel
	 * would write to memory that is the program's.
	 */
	if (mmap(page, FILE_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		munmap(page, FILE_PAGE);
	add_run(sampler, &last);
}

bool sampler_other_runs(void)
{
	struct profil_status status = { .size = sizeof(status) };

	return !request(PROFIL_IOC_STATUS, &status, -1) && status.tag != TAG &&
	       status.state == PROFIL_STATE_ON;
}
