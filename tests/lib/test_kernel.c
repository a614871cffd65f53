// SPDX-License-Identifier: LGPL-2.1-or-later
/* The faked kernel itself: it refuses what the real one refuses. */
#include "kernel.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int device;

static int open_device(void **state)
{
	kernel_boot(state);
	device = (int)syscall(SYS_openat, AT_FDCWD, "/dev/profil",
			      O_RDWR | O_CLOEXEC);
	return device < 0;
}

static int close_device(void **state)
{
	syscall(SYS_close, device);
	return kernel_halt(state);
}

static unsigned short counters[4];

static const struct profil_region good = {
	.buf = 0x1000, .size = 64, .offset = 0x401000, .scale = 0x8000,
	.width = 2,
};

static int histogram_of(const struct profil_region *regions, uint32_t n)
{
	struct profil_histogram h = {
		.size		= sizeof(h),
		.regions	= (uintptr_t)regions,
		.nregions	= n,
		.region_size	= sizeof(*regions),
	};

	return ioctl(device, PROFIL_IOC_HISTOGRAM, &h);
}

static void takes_a_good_region(void **state)
{
	(void)state;
	assert_success(histogram_of(&good, 1));
	assert_int_equal(kernel_only_region()->size, 64);
}

#define assert_bad(field, value, error) do {			\
		struct profil_region bad = good;		\
		bad.field = (value);				\
		assert_errno(histogram_of(&bad, 1), (error));	\
	} while (0)

static void refuses_each_bad_field(void **state)
{
	(void)state;
	assert_bad(width, 0, EINVAL);
	assert_bad(width, 3, EINVAL);
	assert_bad(index, 3, EINVAL);
	assert_bad(at_limit, 3, EINVAL);
	assert_bad(on_fault, 2, EINVAL);
	assert_bad(flags, 2, EINVAL);
	assert_bad(reserved, 1, EINVAL);
	assert_bad(limit, 0x10000, EINVAL);
	assert_bad(pc_start, good.offset - 1, EINVAL);
	assert_bad(pc_end, good.offset, EINVAL);
	assert_bad(size, UINT64_MAX, EINVAL);
	assert_bad(buf, KERNEL_USER_END, EFAULT);
	assert_bad(flags, PROFIL_REGION_CATCH_ALL, EINVAL);
	assert_int_equal(kernel.histograms, 0);
}

static void refuses_a_limit_that_wraps(void **state)
{
	struct profil_region bad = good;

	(void)state;
	bad.at_limit = PROFIL_LIMIT_WRAP;
	assert_success(histogram_of(&bad, 1));
	bad.limit = 5;
	assert_errno(histogram_of(&bad, 1), EINVAL);
}

static void refuses_two_catch_alls(void **state)
{
	struct profil_region two[2] = {
		{ .width = 2, .flags = PROFIL_REGION_CATCH_ALL },
		{ .width = 2, .flags = PROFIL_REGION_CATCH_ALL },
	};

	(void)state;
	assert_success(histogram_of(two, 1));
	assert_errno(histogram_of(two, 2), EINVAL);
}

static void refuses_no_and_too_many_regions(void **state)
{
	struct profil_region two[2] = { good, good };

	(void)state;
	assert_errno(histogram_of(two, 0), EINVAL);
	kernel.features.max_regions = 1;
	assert_errno(histogram_of(two, 2), E2BIG);
}

static void refuses_the_fast_clock_when_restricted(void **state)
{
	struct profil_samples s = {
		.size = sizeof(s),
		.buf = (uintptr_t)counters, .nsamples = 1, .width = 8,
		.rate = PROFIL_RATE_FAST,
	};

	(void)state;
	assert_success(ioctl(device, PROFIL_IOC_SAMPLES, &s));
	kernel.features.rates = 1U << PROFIL_RATE_CLOCK;
	assert_errno(ioctl(device, PROFIL_IOC_SAMPLES, &s), EACCES);
}

static void reports_a_replaced_profile_once(void **state)
{
	struct profil_status first = { .size = sizeof(first) }, second = first;

	(void)state;
	kernel_run(PROFIL_MODE_SAMPLES, 5);
	kernel_end(PROFIL_STATE_FULL, 9);
	assert_success(ioctl(device, PROFIL_IOC_STOP, &first));
	assert_success(ioctl(device, PROFIL_IOC_STOP, &second));
	assert_int_equal(first.nsamples, 9);
	assert_int_equal(first.tag, 5);
	assert_int_equal(second.nsamples, 0);
}

static void refuses_sizes_and_fields_it_does_not_know(void **state)
{
	struct {
		struct profil_samples	known;
		uint64_t		more;
	} s = {
		.known = {
			.size = sizeof(s), .buf = (uintptr_t)counters,
			.nsamples = 1, .width = 8,
		},
	};

	(void)state;
	assert_success(ioctl(device, PROFIL_IOC_SAMPLES, &s));
	s.more = 1;
	assert_errno(ioctl(device, PROFIL_IOC_SAMPLES, &s), E2BIG);
	s.known.size = sizeof(s.known);
	assert_success(ioctl(device, PROFIL_IOC_SAMPLES, &s));
	s.known.size = PROFIL_SAMPLES_SIZE_MIN - 1;
	assert_errno(ioctl(device, PROFIL_IOC_SAMPLES, &s), EINVAL);
}

static void reports_a_replaced_profile_to_who_asks(void **state)
{
	struct profil_status last = { .size = sizeof(last) };
	struct profil_samples s = {
		.size = sizeof(s), .buf = (uintptr_t)counters, .nsamples = 1,
		.width = 8, .last = (uintptr_t)&last,
	};

	(void)state;
	kernel_run(PROFIL_MODE_SAMPLES, 5);
	kernel_end(PROFIL_STATE_FULL, 9);
	assert_success(ioctl(device, PROFIL_IOC_SAMPLES, &s));
	assert_int_equal(last.nsamples, 9);
	assert_int_equal(last.tag, 5);
}

static void does_not_know_other_commands(void **state)
{
	(void)state;
	assert_errno(ioctl(device, _IO(PROFIL_IOC_MAGIC, 99), NULL), ENOTTY);
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(takes_a_good_region),
		test(refuses_each_bad_field),
		test(refuses_a_limit_that_wraps),
		test(refuses_two_catch_alls),
		test(refuses_no_and_too_many_regions),
		test(refuses_the_fast_clock_when_restricted),
		test(reports_a_replaced_profile_once),
		test(refuses_sizes_and_fields_it_does_not_know),
		test(reports_a_replaced_profile_to_who_asks),
		test(does_not_know_other_commands),
	};

	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
