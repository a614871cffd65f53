// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "region.h"

#define DESCRIPTOR	4242	/* no real descriptor has this number */
#define ANOTHER		99	/* the tag of nobody */

struct kernel kernel;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long command, ...);

int kernel_boot(void **state)
{
	(void)state;
	kernel = (struct kernel){
		.features = {
			.size = sizeof(struct profil_features), .rates = 7,
			.flags		= PROFIL_USER_ONLY | PROFIL_RANDOM |
					  PROFIL_THREAD | PROFIL_WAITS | PROFIL_LAZY |
					  PROFIL_DONTFORK,
			.region_flags = PROFIL_REGION_CATCH_ALL, .widths = 2 + 4 + 8,
			.indexes = 7, .limits = 7, .faults = 3, .modes = 6,
			.max_regions = KERNEL_MAX_REGIONS,
			.period_ns = { 10000000, 4000000, 1000000 },
		},
		.status.size = sizeof(struct profil_status),
	};
	return 0;
}

int kernel_halt(void **state)
{
	(void)state;
	assert_int_equal(kernel.opens, kernel.closes);
	return 0;
}

void kernel_run(uint32_t mode, uint32_t tag)
{
	kernel.status.mode = mode;
	kernel.status.state = PROFIL_STATE_ON;
	kernel.status.tag = tag;
}

const struct profil_object *kernel_object_of(uintptr_t address)
{
	for (unsigned int i = 0; i < kernel.nobjects; i++)
		if (kernel.objects[i].start <= address && address < kernel.objects[i].end)
			return &kernel.objects[i];
	return NULL;
}

static struct kernel before;

void kernel_begin(void)
{
	kernel_run(PROFIL_MODE_HISTOGRAM, ANOTHER);
	before = kernel;
}

/* Requests since then: starts of the process's profile, and stops. */
static bool asked(int starts, int stops)
{
	return kernel.histogram_starts + kernel.sample_starts ==
	       before.histogram_starts + before.sample_starts + starts &&
	       kernel.stops == before.stops + stops &&
	       kernel.own_histograms == before.own_histograms &&
	       kernel.own_stops == before.own_stops;
}

static bool goes_on(void)
{
	return asked(0, 0) && !memcmp(&kernel.status, &before.status, sizeof(before.status));
}

bool kernel_failed(long result, int error)
{
	return result == -1 && errno == error && goes_on();
}

bool kernel_stopped(long result)
{
	return result == 0 && errno == KERNEL_OLD_ERRNO && asked(0, 1) &&
	       kernel.status.state == PROFIL_STATE_OFF;
}

static void print_region(const char *who, const struct profil_region *r)
{
	print_error("%s: buf %#llx size %#llx offset %#llx pc %#llx-%#llx limit %llu "
		    "scale %#x width %u index %u at_limit %u on_fault %u flags %u\n",
		    who, r->buf, r->size, r->offset, r->pc_start, r->pc_end, r->limit,
		    r->scale, r->width, r->index, r->at_limit, r->on_fault, r->flags);
}

bool kernel_started(long result, uint32_t tag, const struct profil_region *regions, size_t n)
{
	if (result || errno != KERNEL_OLD_ERRNO || !asked(1, 0) ||
	    kernel.status.mode != PROFIL_MODE_HISTOGRAM ||
	    kernel.status.state != PROFIL_STATE_ON || kernel.status.tag != tag ||
	    kernel.histogram.nregions != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!memcmp(&kernel.regions[i], &regions[i], sizeof(regions[i])))
			continue;
		print_region("got", &kernel.regions[i]);
		print_region("not", &regions[i]);
		return false;
	}
	return true;
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

static int check_buffer(uint64_t address, uint64_t size)
{
	if (address + size < address)
		return EINVAL;
	return size && address + size > KERNEL_USER_END ? EFAULT : 0;
}

static int no_pause(void)
{
	return 0;
}

static int check_regions(const struct profil_region *regions, uint32_t n)
{
	int error = n > kernel.features.max_regions ? E2BIG :
		    -profil_regions_check(regions, n, no_pause);

	for (uint32_t i = 0; !error && i < n; i++)
		error = check_buffer(regions[i].buf, regions[i].size);
	return error;
}

/* The profile that is being replaced or stopped is reported, then forgotten. */
static struct profil_status replace(struct profil_status *status, uint32_t mode,
				    uint32_t tag, uint32_t rate)
{
	struct profil_status last = *status;

	*status = (struct profil_status){
		.size = sizeof(*status), .mode = mode,
		.state = mode ? PROFIL_STATE_ON : PROFIL_STATE_OFF, .rate = rate,
		.tag = tag, .period_ns = kernel.features.period_ns[rate],
	};
	return last;
}

/* The library knows all of each structure, and says so. */
static void assert_size(const void *structure, uint32_t known)
{
	uint32_t size;

	memcpy(&size, structure, sizeof(size));
	assert_int_equal(size, known);
}

static int report(void *to, struct profil_status status)
{
	if (!to)
		return 0;
	assert_size(to, sizeof(status));
	status.size = sizeof(status);
	memcpy(to, &status, sizeof(status));
	return 0;
}

static int do_histogram(struct profil_histogram *h)
{
	const struct profil_region *regions = (void *)(uintptr_t)h->regions;
	struct profil_status last;
	int error;

	assert_size(h, sizeof(*h));
	assert_int_equal(h->region_size, sizeof(*regions));
	error = check_regions(regions, h->nregions) ?: kernel.start_error;
	if (error)
		return refuse(error);
	if (h->flags & PROFIL_THREAD) {
		kernel.own_histograms++;
		last = replace(&kernel.own, PROFIL_MODE_HISTOGRAM, h->tag, h->rate);
	} else {
		memcpy(kernel.regions, regions, h->nregions * sizeof(*regions));
		kernel.histogram_starts++;
		kernel.histogram = *h;
		last = replace(&kernel.status, PROFIL_MODE_HISTOGRAM, h->tag, h->rate);
	}
	return report((void *)(uintptr_t)h->last, last);
}

static int do_samples(struct profil_samples *s)
{
	struct profil_status last;
	uint64_t bytes;
	int error;

	if (kernel.old && s->stacks)
		return refuse(E2BIG);
	if (kernel.waits_error && s->flags & PROFIL_WAITS)
		return refuse(kernel.waits_error);
	if (s->flags & ~kernel.features.flags)
		return refuse(EINVAL);
	if (!(kernel.features.rates >> s->rate & 1))
		return refuse(EACCES);
	assert_size(s, sizeof(*s));
	assert_false(__builtin_mul_overflow(s->nsamples, s->width, &bytes));
	error = check_buffer(s->buf, bytes) ?: kernel.start_error;
	if (error)
		return refuse(error);
	kernel.sample_starts++;
	kernel.samples = *s;
	last = replace(&kernel.status, PROFIL_MODE_SAMPLES, s->tag, s->rate);
	s->page = (uintptr_t)&kernel.status;
	return report((void *)(uintptr_t)s->last, last);
}

static int do_objects(const struct profil_object_table *t)
{
	const struct profil_object *objects = (void *)(uintptr_t)t->objects;
	assert_size(t, sizeof(*t));
	assert_int_equal(t->object_size, sizeof(*objects));
	for (uint32_t i = 0; i < t->nobjects; i++) {
		assert_true(objects[i].start < objects[i].end);
		assert_true(!i || objects[i - 1].end <= objects[i].start);
	}
	if (kernel.objects_error)
		return refuse(kernel.objects_error);
	kernel.tables++;
	if (kernel.at_table)
		kernel.at_table();
	kernel.nobjects = t->nobjects;
	memcpy(kernel.objects, objects, t->nobjects * sizeof(*objects));
	return 0;
}

/* The library names no page. */
static int do_thread(struct profil_thread *thread, bool is_stop)
{
	void *to = (void *)(uintptr_t)thread->status;

	assert_size(thread, sizeof(*thread));
	assert_int_equal(thread->page, 0);
	if (!is_stop)
		return report(to, kernel.own);
	kernel.own_stops++;
	return report(to, replace(&kernel.own, PROFIL_MODE_NONE, 0, 0));
}

static int do_command(unsigned long command, void *argument)
{
	switch (command) {
	case PROFIL_IOC_FEATURES:
		assert_size(argument, sizeof(kernel.features));
		memcpy(argument, &kernel.features, sizeof(kernel.features));
		return 0;
	case PROFIL_IOC_STATUS:
		return report(argument, kernel.status);
	case PROFIL_IOC_HISTOGRAM:
		return do_histogram(argument);
	case PROFIL_IOC_SAMPLES:
		return do_samples(argument);
	case PROFIL_IOC_STOP:
		kernel.stops++;
		return report(argument, replace(&kernel.status, PROFIL_MODE_NONE, 0, 0));
	case PROFIL_IOC_THREAD_STATUS:
	case PROFIL_IOC_THREAD_STOP:
		return do_thread(argument, command == PROFIL_IOC_THREAD_STOP);
	case PROFIL_IOC_OBJECTS:
		if (!kernel.old)
			return do_objects(argument);
	}
	return refuse(ENOTTY);
}

int __wrap_ioctl(int fd, unsigned long command, ...)
{
	void *argument;
	va_list list;

	va_start(list, command);
	argument = va_arg(list, void *);
	va_end(list);

	assert_int_equal(fd, DESCRIPTOR);
	assert_int_equal(kernel.opens, kernel.closes + 1);
	if (kernel.ioctl_eintr > 0) {
		kernel.ioctl_eintr--;
		return refuse(EINTR);
	}
	if (kernel.ioctl_error)
		return refuse(kernel.ioctl_error);
	if (kernel.ioctl_result)
		return kernel.ioctl_result;
	kernel.commands[kernel.ncommands++ % 8] = command;
	return do_command(command, argument);
}

static int do_open(int flags)
{
	assert_int_equal(flags, O_RDWR | O_CLOEXEC);
	if (kernel.open_eintr > 0) {
		kernel.open_eintr--;
		return refuse(EINTR);
	}
	if (kernel.open_error)
		return refuse(kernel.open_error);
	kernel.opens++;
	return DESCRIPTOR;
}

/* Where user space ends is ours to say: the real one may have a later end. */
static bool is_beyond(long number, const long *arg)
{
	return number == SYS_futex &&
	       (arg[1] & FUTEX_CMD_MASK) == FUTEX_WAKE && (uint64_t)arg[0] >= KERNEL_USER_END;
}

/*
 * The device is ours; everything else is the real kernel's. As libc's does, it passes
 * six arguments, however many there are.
 */
__attribute__((no_sanitize_address))
long __wrap_syscall(long number, ...)
{
	long arg[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(list, long);
	va_end(list);

	if (number == SYS_openat && !strcmp((const char *)arg[1], "/dev/profil"))
		return do_open((int)arg[2]);
	if (number == SYS_close && arg[0] == DESCRIPTOR) {
		kernel.closes++;
		return refuse(EIO);	/* must not be seen */
	}
	if (number == SYS_ioctl)
		return __wrap_ioctl((int)arg[0], (unsigned long)arg[1], (void *)arg[2]);
	if (number == SYS_gettid && kernel.beside)
		return getpid() + 1;
	if (number == SYS_futex)
		kernel.probed = (uintptr_t)arg[0];
	if (is_beyond(number, arg))
		return refuse(EFAULT);
	return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
