// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DESCRIPTOR	4242	/* no real descriptor has this number */

struct kernel kernel;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long command, ...);

int kernel_boot(void **state)
{
	(void)state;
	kernel = (struct kernel){
		.features = {
			.size		= sizeof(struct profil_features),
			.rates		= 7,
			.flags		= PROFIL_USER_ONLY | PROFIL_RANDOM |
					  PROFIL_THREAD,
			.region_flags	= PROFIL_REGION_CATCH_ALL,
			.widths		= 2 + 4 + 8,
			.indexes	= 7,
			.limits		= 7,
			.faults		= 3,
			.modes		= 6,
			.max_regions	= KERNEL_MAX_REGIONS,
			.period_ns	= { 10000000, 4000000, 1000000 },
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

const struct profil_region *kernel_only_region(void)
{
	assert_int_equal(kernel.status.mode, PROFIL_MODE_HISTOGRAM);
	assert_int_equal(kernel.status.state, PROFIL_STATE_ON);
	assert_int_equal(kernel.histogram.nregions, 1);
	return &kernel.regions[0];
}

void kernel_run(uint32_t mode, uint32_t tag)
{
	kernel.status.mode = mode;
	kernel.status.state = PROFIL_STATE_ON;
	kernel.status.tag = tag;
}

void kernel_end(uint32_t state, uint64_t nsamples)
{
	kernel.status.state = state;
	kernel.status.nsamples = nsamples;
}

void kernel_assert_untouched(void)
{
	assert_int_equal(kernel.histograms, 0);
	assert_int_equal(kernel.sampleses, 0);
	assert_int_equal(kernel.stops, 0);
	assert_int_equal(kernel.status.state, PROFIL_STATE_ON);
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

static int check_catch_all(const struct profil_region *r)
{
	return r->offset || r->pc_start || r->pc_end || r->scale ? EINVAL : 0;
}

static int check_region(const struct profil_region *r)
{
	if (r->width != 2 && r->width != 4 && r->width != 8)
		return EINVAL;
	if (r->index > PROFIL_INDEX_ELEMENT || r->on_fault > 1 ||
	    r->at_limit > PROFIL_LIMIT_STOP || r->reserved ||
	    r->flags & ~PROFIL_REGION_CATCH_ALL)
		return EINVAL;
	if (r->at_limit == PROFIL_LIMIT_WRAP && r->limit)
		return EINVAL;
	if (r->width < 8 && r->limit >> (8 * r->width))
		return EINVAL;
	if (r->flags & PROFIL_REGION_CATCH_ALL && check_catch_all(r))
		return EINVAL;
	if (r->pc_start && r->pc_start < r->offset)
		return EINVAL;
	if (r->pc_end && r->pc_end <= (r->pc_start ? r->pc_start : r->offset))
		return EINVAL;
	return check_buffer(r->buf, r->size);
}

static int check_regions(const struct profil_histogram *h)
{
	const struct profil_region *regions =
		(const struct profil_region *)(uintptr_t)h->regions;
	int catch_alls = 0;

	if (!h->nregions || h->region_size < PROFIL_REGION_SIZE_MIN)
		return EINVAL;
	/* Not so the real one, but the library has only one kind of region. */
	assert_int_equal(h->region_size, sizeof(*regions));
	if (h->nregions > kernel.features.max_regions)
		return E2BIG;
	for (uint32_t i = 0; i < h->nregions; i++) {
		int error = check_region(&regions[i]);

		if (error)
			return error;
		if (regions[i].flags & PROFIL_REGION_CATCH_ALL)
			catch_alls++;
	}
	return catch_alls > 1 ? EINVAL : 0;
}

static int check_rate(uint32_t rate, uint32_t flags)
{
	if (rate > PROFIL_RATE_FAST ||
	    flags & ~(PROFIL_USER_ONLY | PROFIL_RANDOM | PROFIL_THREAD))
		return EINVAL;
	if (flags & PROFIL_RANDOM && rate != PROFIL_RATE_FAST)
		return EINVAL;
	return kernel.features.rates & (1U << rate) ? 0 : EACCES;
}

/* The profile that is being replaced or stopped is reported, then forgotten. */
static struct profil_status replace(struct profil_status *status, uint32_t mode,
				    uint32_t tag, uint32_t rate)
{
	struct profil_status last = *status;

	*status = (struct profil_status){
		.size		= sizeof(*status),
		.mode		= mode,
		.state		= mode ? PROFIL_STATE_ON : PROFIL_STATE_OFF,
		.rate		= rate,
		.tag		= tag,
		.period_ns	= kernel.features.period_ns[rate],
	};
	return last;
}

/* The size of a structure of the caller's, of which the kernel knows so much. */
static int check_size(const void *structure, uint32_t least, uint32_t known)
{
	const unsigned char *bytes = structure;
	uint32_t size;

	memcpy(&size, structure, sizeof(size));
	if (size < least)
		return EINVAL;
	if (size > PROFIL_SIZE_MAX)
		return E2BIG;
	for (uint32_t i = known; i < size; i++)
		if (bytes[i])
			return E2BIG;
	return 0;
}

/* As much of a report as the caller has room for, and zeros if it has more. */
static int report(void *to, const void *what, uint32_t least, uint32_t known)
{
	uint32_t size;

	memcpy(&size, to, sizeof(size));
	if (size < least)
		return refuse(EINVAL);
	if (size > PROFIL_SIZE_MAX)
		return refuse(E2BIG);
	memset(to, 0, size);
	if (size > known)
		size = known;
	memcpy(to, what, size);
	memcpy(to, &size, sizeof(size));
	return 0;
}

static int report_status(void *to, struct profil_status status)
{
	return report(to, &status, PROFIL_STATUS_SIZE_MIN, sizeof(status));
}

static int do_histogram(struct profil_histogram *h)
{
	int error = check_size(h, PROFIL_HISTOGRAM_SIZE_MIN, sizeof(*h));
	struct profil_status last;

	if (!error)
		error = check_regions(h);
	if (!error)
		error = check_rate(h->rate, h->flags);
	if (!error)
		error = kernel.start_error;
	if (error)
		return refuse(error);
	if (h->flags & PROFIL_THREAD) {
		kernel.own_histograms++;
		last = replace(&kernel.own, PROFIL_MODE_HISTOGRAM, h->tag, h->rate);
	} else {
		memcpy(kernel.regions, (const void *)(uintptr_t)h->regions,
		       h->nregions * sizeof(kernel.regions[0]));
		kernel.histograms++;
		kernel.histogram = *h;
		last = replace(&kernel.status, PROFIL_MODE_HISTOGRAM, h->tag, h->rate);
	}
	return h->last ? report_status((void *)(uintptr_t)h->last, last) : 0;
}

static int check_stacks(const struct profil_samples *s)
{
	if (!s->stacks)
		return s->stacks_size ? EINVAL : 0;
	if (s->stacks_size < PROFIL_STACKS_SIZE_MIN)
		return EINVAL;
	return check_buffer(s->stacks, s->stacks_size);
}

static int do_objects(const struct profil_object_table *t)
{
	const struct profil_object *objects = (void *)(uintptr_t)t->objects;
	int error = check_size(t, PROFIL_OBJECT_TABLE_SIZE_MIN, sizeof(*t));
	uint32_t i;

	if (!error)
		error = kernel.objects_error;
	if (!error && t->nobjects > PROFIL_OBJECTS_MAX)
		error = E2BIG;
	if (!error && (t->reserved || t->object_size != sizeof(*objects)))
		error = EINVAL;
	for (i = 0; !error && i < t->nobjects; i++)
		if (objects[i].start >= objects[i].end ||
		    (i && objects[i - 1].end > objects[i].start))
			error = EINVAL;
	if (error)
		return refuse(error);
	kernel.tables++;
	if (kernel.at_table)
		kernel.at_table();
	kernel.nobjects = t->nobjects;
	memcpy(kernel.objects, objects, t->nobjects * sizeof(*objects));
	return 0;
}

static int do_samples(struct profil_samples *s)
{
	int error = check_size(s, PROFIL_SAMPLES_SIZE_MIN, kernel.old ?
			       offsetof(struct profil_samples, stacks) : sizeof(*s));
	struct profil_status last;

	if (!error)
		error = check_rate(s->rate, s->flags);
	if (!error && ((s->width != 4 && s->width != 8) || s->reserved))
		error = EINVAL;
	if (!error && s->nsamples > UINT64_MAX / s->width)
		error = EINVAL;
	if (!error)
		error = check_buffer(s->buf, s->nsamples * s->width);
	if (!error)
		error = check_stacks(s);
	if (!error)
		error = kernel.samples_error;
	if (!error)
		error = kernel.start_error;
	if (error)
		return refuse(error);
	kernel.sampleses++;
	kernel.samples = *s;
	last = replace(&kernel.status, PROFIL_MODE_SAMPLES, s->tag, s->rate);
	s->page = (uintptr_t)&kernel.status;
	return s->last ? report_status((void *)(uintptr_t)s->last, last) : 0;
}

/* The library names no page. */
static int do_thread(struct profil_thread *thread, bool stops)
{
	int error = check_size(thread, PROFIL_THREAD_SIZE_MIN, sizeof(*thread));
	void *to = (void *)(uintptr_t)thread->status;

	if (error || thread->reserved || thread->page)
		return refuse(error ? error : EINVAL);
	if (!stops)
		return report_status(to, kernel.own);
	kernel.own_stops++;
	return report_status(to, replace(&kernel.own, PROFIL_MODE_NONE, 0, 0));
}

static int do_command(unsigned long command, void *argument)
{
	switch (command) {
	case PROFIL_IOC_FEATURES:
		kernel.queries++;
		return report(argument, &kernel.features, PROFIL_FEATURES_SIZE_MIN,
			      sizeof(kernel.features));
	case PROFIL_IOC_STATUS:
		kernel.queries++;
		return report_status(argument, kernel.status);
	case PROFIL_IOC_HISTOGRAM:
		return do_histogram(argument);
	case PROFIL_IOC_SAMPLES:
		return do_samples(argument);
	case PROFIL_IOC_STOP:
		kernel.stops++;
		return report_status(argument,
				     replace(&kernel.status, PROFIL_MODE_NONE, 0, 0));
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

static int do_open(const char *path, int flags)
{
	assert_string_equal(path, "/dev/profil");
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
	       (arg[1] & FUTEX_CMD_MASK) == FUTEX_WAKE &&
	       (uint64_t)arg[0] >= KERNEL_USER_END;
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

	if (number == SYS_openat)
		return do_open((const char *)arg[1], (int)arg[2]);
	if (number == SYS_close) {
		assert_int_equal(arg[0], DESCRIPTOR);
		kernel.closes++;
		errno = EIO;	/* must not be seen */
		return -1;
	}
	if (number == SYS_ioctl)
		return __wrap_ioctl((int)arg[0], (unsigned long)arg[1],
				    (void *)arg[2]);
	if (number == SYS_gettid && kernel.beside)
		return getpid() + 1;
	if (is_beyond(number, arg))
		return refuse(EFAULT);
	return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4],
			      arg[5]);
}
