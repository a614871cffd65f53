// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bad requests: each is valid but for one thing, each has its errno, and none
 * changes anything: the profile that runs goes on, with its tag and buffer.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define TAG	0x5eed

/* Above what any 64-bit machine gives to processes by default. */
#define KERNEL_ADDRESS	(sizeof(long) == 8 ? 0xffff888000000000ULL : 0xffffff00ULL)

/* Nor do they have this one, with bits of a tag and without. */
#define NO_ADDRESS	0x8080000000000000ULL

static uint32_t running;
static uint32_t never_written[1024];

/* The profile that the bad requests must leave as it is. */
static void start_running(void)
{
	struct profil_region region = everything(&running, sizeof(running), 4);
	struct profil_histogram request = {
		.regions = (uintptr_t)&region,
		.nregions = 1,
		.region_size = sizeof(region),
		.rate = PROFIL_RATE_TICK,
		.tag = TAG,
	};

	CHECK_EQ(start_histogram(&request), 0);
}

static void check_running(const char *what)
{
	struct profil_status st;

	if (get_status(&st) != 0 || st.state != PROFIL_STATE_ON || st.tag != TAG ||
	    st.mode != PROFIL_MODE_HISTOGRAM)
		FAIL("%s: state %u, mode %u, tag %#x", what, st.state, st.mode, st.tag);
}

static void check_running_to_the_end(void)
{
	struct profil_status st;

	check_running("at the end");
	CHECK(work_for_ticks(10));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(running, st.counted);
	CHECK_EQ(sum(never_written, 1024, 4), 0);
}

static struct profil_region good_region(void)
{
	return one_to_one(never_written, sizeof(never_written), 4, text_a());
}

/* A field of a structure and a value that does not belong there. */
struct bad {
	const char *what;
	size_t offset;
	size_t size;
	uint64_t value;
	int error;
};

#define FIELD(type, field, wrong, errno_value) {			\
	.what = #field " = " #wrong,					\
	.offset = offsetof(struct type, field),				\
	.size = sizeof(((struct type *)0)->field),			\
	.value = (wrong),						\
	.error = (errno_value),						\
}

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static void put(void *structure, const struct bad *bad)
{
	/* Little-endian or not: through a variable of the field's size. */
	uint8_t v1 = (uint8_t)bad->value;
	uint16_t v2 = (uint16_t)bad->value;
	uint32_t v4 = (uint32_t)bad->value;
	char *at = (char *)structure + bad->offset;

	switch (bad->size) {
	case 1:
		memcpy(at, &v1, 1);
		break;
	case 2:
		memcpy(at, &v2, 2);
		break;
	case 4:
		memcpy(at, &v4, 4);
		break;
	default:
		memcpy(at, &bad->value, 8);
	}
}

static void expect(const char *what, int got, int wanted)
{
	if (got != -wanted)
		FAIL("%s: %s, wanted %s", what, got < 0 ? strerror(-got) : "accepted",
		     strerror(wanted));
	check_running(what);
}

static struct profil_histogram good_histogram(const struct profil_region *regions,
					      unsigned int n)
{
	return (struct profil_histogram) {
		.size = sizeof(struct profil_histogram),
		.regions = (uintptr_t)regions,
		.nregions = n,
		.region_size = sizeof(*regions),
		.rate = PROFIL_RATE_TICK,
		.tag = ~TAG,
		.page = 0x1111,
	};
}

TEST(each_wrong_field_of_a_histogram_request_is_refused)
{
	static const struct bad table[] = {
		FIELD(profil_histogram, regions, 0, EFAULT),
		FIELD(profil_histogram, regions, 1, EFAULT),
		FIELD(profil_histogram, regions, KERNEL_ADDRESS, EFAULT),
		FIELD(profil_histogram, regions, NO_ADDRESS, EFAULT),
		FIELD(profil_histogram, regions, 0xffffffffffffffffULL, EFAULT),
		FIELD(profil_histogram, nregions, 0, EINVAL),
		FIELD(profil_histogram, nregions, 0xffffffff, E2BIG),
		FIELD(profil_histogram, nregions, 0x80000000, E2BIG),
		FIELD(profil_histogram, region_size, 0, EINVAL),
		FIELD(profil_histogram, region_size, PROFIL_REGION_SIZE_MIN - 1, EINVAL),
		FIELD(profil_histogram, region_size, PROFIL_SIZE_MAX + 1, E2BIG),
		FIELD(profil_histogram, region_size, 0xffffffff, E2BIG),
		FIELD(profil_histogram, rate, 3, EINVAL),
		FIELD(profil_histogram, rate, 0x80000000, EINVAL),
		FIELD(profil_histogram, rate, 0xffffffff, EINVAL),
		FIELD(profil_histogram, flags, PROFIL_RANDOM, EINVAL),
		FIELD(profil_histogram, last, 1, EFAULT),
		FIELD(profil_histogram, last, KERNEL_ADDRESS, EFAULT),
		FIELD(profil_histogram, last, 0xffffffffffffffffULL, EFAULT),
	};
	struct profil_region region = good_region();

	start_running();
	for (size_t i = 0; i < COUNT(table); i++) {
		struct profil_histogram request = good_histogram(&region, 1);

		put(&request, &table[i]);
		expect(table[i].what, start_histogram(&request), table[i].error);
		/* Nothing is written to a request that fails. */
		CHECK_EQ(request.page, 0x1111);
	}
	check_running_to_the_end();
}

TEST(each_unknown_flag_of_a_histogram_request_is_refused)
{
	struct profil_region region = good_region();

	start_running();
	for (unsigned int bit = 3; bit < 32; bit++) {
		struct profil_histogram request = good_histogram(&region, 1);

		request.flags = 1U << bit;
		expect("flags", start_histogram(&request), EINVAL);
	}
	check_running_to_the_end();
}

TEST(more_regions_than_the_limit_are_refused)
{
	struct profil_features features;
	struct profil_region *regions;
	struct profil_histogram request;

	CHECK_EQ(get_features(&features), 0);
	regions = calloc(features.max_regions + 1, sizeof(*regions));
	CHECK(regions != NULL);
	for (unsigned int i = 0; i <= features.max_regions; i++)
		regions[i] = good_region();
	start_running();
	request = good_histogram(regions, features.max_regions + 1);
	expect("one too many", start_histogram(&request), E2BIG);
	check_running_to_the_end();
	request = good_histogram(regions, features.max_regions);
	CHECK_EQ(start_histogram(&request), 0);
}

#define MAX_REGIONS	"/sys/module/profil/parameters/max_regions"

TEST(limit_of_regions_changed_at_run_time_holds_for_the_next_request)
{
	struct profil_region regions[3] = { good_region(), good_region(), good_region() };
	char was[16];

	NEEDS_ROOT();
	CHECK_CALL(read_file(MAX_REGIONS, was, sizeof(was)));
	CHECK_FAILS(write_file(MAX_REGIONS, "0"), EINVAL);
	CHECK_FAILS(write_file(MAX_REGIONS, "65537"), EINVAL);
	start_running();
	CHECK_CALL(write_file(MAX_REGIONS, "2"));
	expect("three of two", start_regions(regions, 3, PROFIL_RATE_TICK), E2BIG);
	check_running_to_the_end();
	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	CHECK_CALL(write_file(MAX_REGIONS, was));
	CHECK_EQ(start_regions(regions, 3, PROFIL_RATE_TICK), 0);
}

TEST(profile_of_more_regions_than_a_new_limit_goes_on)
{
	uint32_t buf[2] = { 0 };
	struct profil_region regions[2] = {
		one_counter(&buf[0], 4, 4, text_a()),
		one_counter(&buf[1], 4, 4, text_b()),
	};
	struct profil_status st;
	char was[16];

	NEEDS_ROOT();
	CHECK_CALL(read_file(MAX_REGIONS, was, sizeof(was)));
	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	CHECK_CALL(write_file(MAX_REGIONS, "1"));
	CHECK(work_for_ticks(10));
	CHECK_EQ(stop(&st), 0);
	CHECK_CALL(write_file(MAX_REGIONS, was));
	CHECK_NOTHING_LOST(&st);
	CHECK_GE(st.ticks, 10);
	CHECK_EQ((uint64_t)buf[0] + buf[1], st.counted);
}

static const struct bad bad_regions[] = {
	FIELD(profil_region, buf, KERNEL_ADDRESS, EFAULT),
	FIELD(profil_region, buf, NO_ADDRESS, EFAULT),
	FIELD(profil_region, buf, 0x7fffffffffffffffULL, EFAULT),
	FIELD(profil_region, buf, 0xffffffffffffffffULL, EINVAL),
	FIELD(profil_region, size, 0x7fffffffffffffffULL, EFAULT),
	FIELD(profil_region, size, 0xffffffffffffffffULL, EINVAL),
	FIELD(profil_region, offset, 0xffffffffffffffffULL, EINVAL),
	FIELD(profil_region, pc_start, 1, EINVAL),
	FIELD(profil_region, pc_end, 1, EINVAL),
	FIELD(profil_region, limit, 0x100000000ULL, EINVAL),
	FIELD(profil_region, limit, 0xffffffffffffffffULL, EINVAL),
	FIELD(profil_region, width, 0, EINVAL),
	FIELD(profil_region, width, 1, EINVAL),
	FIELD(profil_region, width, 3, EINVAL),
	FIELD(profil_region, width, 5, EINVAL),
	FIELD(profil_region, width, 6, EINVAL),
	FIELD(profil_region, width, 7, EINVAL),
	FIELD(profil_region, width, 16, EINVAL),
	FIELD(profil_region, width, 0x84, EINVAL),
	FIELD(profil_region, width, 255, EINVAL),
	FIELD(profil_region, index, 3, EINVAL),
	FIELD(profil_region, index, 255, EINVAL),
	FIELD(profil_region, at_limit, 3, EINVAL),
	FIELD(profil_region, at_limit, 255, EINVAL),
	FIELD(profil_region, on_fault, 2, EINVAL),
	FIELD(profil_region, on_fault, 255, EINVAL),
	FIELD(profil_region, flags, 2, EINVAL),
	FIELD(profil_region, flags, 0x80000000, EINVAL),
	FIELD(profil_region, flags, 0xffffffff, EINVAL),
	FIELD(profil_region, reserved, 1, EINVAL),
	FIELD(profil_region, reserved, 0x80000000, EINVAL),
};

TEST(each_wrong_field_of_a_region_is_refused)
{
	start_running();
	for (size_t i = 0; i < COUNT(bad_regions); i++) {
		struct profil_region region = good_region();
		struct profil_histogram request = good_histogram(&region, 1);

		/* pc_start is below offset only where offset is above it. */
		region.pc_start = region.offset;
		region.pc_end = 0;
		put(&region, &bad_regions[i]);
		expect(bad_regions[i].what, start_histogram(&request), bad_regions[i].error);
	}
	check_running_to_the_end();
}

TEST(wrong_field_in_the_last_of_many_regions_is_refused)
{
	struct profil_features features;
	struct profil_region regions[7];

	CHECK_EQ(get_features(&features), 0);
	if (features.max_regions < 7)
		SKIP("one region only");
	start_running();
	for (size_t i = 0; i < COUNT(bad_regions); i++) {
		struct profil_histogram request = good_histogram(regions, 7);

		for (unsigned int r = 0; r < 7; r++) {
			regions[r] = good_region();
			regions[r].pc_start = regions[r].offset;
			regions[r].pc_end = 0;
		}
		put(&regions[6], &bad_regions[i]);
		expect(bad_regions[i].what, start_histogram(&request), bad_regions[i].error);
	}
	check_running_to_the_end();
}

TEST(limit_above_what_the_width_holds_is_refused)
{
	start_running();
	for (unsigned int width = 2; width < 8; width *= 2) {
		struct profil_region region = good_region();

		region.width = (uint8_t)width;
		region.limit = 1ULL << (8 * width);
		expect("limit", start_region(region, PROFIL_RATE_TICK), EINVAL);
	}
	check_running_to_the_end();
}

TEST(limit_for_a_counter_that_wraps_is_refused)
{
	struct profil_region region = good_region();

	start_running();
	region.at_limit = PROFIL_LIMIT_WRAP;
	region.limit = 5;
	expect("wrap at 5", start_region(region, PROFIL_RATE_TICK), EINVAL);
	check_running_to_the_end();
}

TEST(catch_all_with_a_range_or_a_scale_is_refused)
{
	static const struct bad table[] = {
		FIELD(profil_region, offset, 1, EINVAL),
		FIELD(profil_region, pc_start, 1, EINVAL),
		FIELD(profil_region, pc_end, 1, EINVAL),
		FIELD(profil_region, scale, 1, EINVAL),
		FIELD(profil_region, scale, 0x10000, EINVAL),
	};

	start_running();
	for (size_t i = 0; i < COUNT(table); i++) {
		struct profil_region region = everything(never_written, 4, 4);

		region.flags = PROFIL_REGION_CATCH_ALL;
		put(&region, &table[i]);
		/* Otherwise valid: no pc_start below offset. */
		if (table[i].offset == offsetof(struct profil_region, offset))
			region.pc_start = 0;
		expect(table[i].what, start_region(region, PROFIL_RATE_TICK), table[i].error);
	}
	check_running_to_the_end();
}

TEST(second_catch_all_is_refused)
{
	struct profil_region regions[3] = {
		everything(never_written, 4, 4),
		good_region(),
		everything(never_written, 4, 4),
	};

	regions[0].flags = PROFIL_REGION_CATCH_ALL;
	regions[2].flags = PROFIL_REGION_CATCH_ALL;
	start_running();
	expect("two", start_regions(regions, 3, PROFIL_RATE_TICK), EINVAL);
	check_running_to_the_end();
}

TEST(region_array_that_ends_in_unmapped_memory_is_refused)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct profil_region *regions;

	CHECK(mem != MAP_FAILED);
	/* Not unmapped: the profil page would take the place. */
	CHECK_CALL(mprotect(mem + page_size, page_size, PROT_NONE));
	regions = (struct profil_region *)(mem + page_size) - 2;
	regions[0] = good_region();
	regions[1] = good_region();
	start_running();
	expect("third of three", start_regions(regions, 3, PROFIL_RATE_TICK), EFAULT);
	expect("half of one",
	       start_regions((void *)((char *)(regions + 1) + 32), 1, PROFIL_RATE_TICK), EFAULT);
	check_running_to_the_end();
}

static const struct bad bad_samples[] = {
	FIELD(profil_samples, buf, KERNEL_ADDRESS, EFAULT),
	FIELD(profil_samples, buf, NO_ADDRESS, EFAULT),
	FIELD(profil_samples, buf, 0xfffffffffffffff8ULL, EINVAL),
	FIELD(profil_samples, nsamples, 0x0fffffffffffffffULL, EFAULT),
	FIELD(profil_samples, nsamples, 0x2000000000000001ULL, EINVAL),
	FIELD(profil_samples, nsamples, 0x8000000000000000ULL, EINVAL),
	FIELD(profil_samples, nsamples, 0xffffffffffffffffULL, EINVAL),
	FIELD(profil_samples, width, 0, EINVAL),
	FIELD(profil_samples, width, 1, EINVAL),
	FIELD(profil_samples, width, 2, EINVAL),
	FIELD(profil_samples, width, 6, EINVAL),
	FIELD(profil_samples, width, 16, EINVAL),
	FIELD(profil_samples, width, 0x108, EINVAL),
	FIELD(profil_samples, reserved, 1, EINVAL),
	FIELD(profil_samples, reserved, 0x80000000, EINVAL),
	FIELD(profil_samples, last, 1, EFAULT),
	FIELD(profil_samples, last, KERNEL_ADDRESS, EFAULT),
	FIELD(profil_samples, rate, 3, EINVAL),
	FIELD(profil_samples, rate, 0xffffffff, EINVAL),
	FIELD(profil_samples, flags, PROFIL_RANDOM, EINVAL),
	FIELD(profil_samples, flags, 8, EINVAL),
	FIELD(profil_samples, flags, 0x80000000, EINVAL),
};

TEST(each_wrong_field_of_a_sample_request_is_refused)
{
	start_running();
	for (size_t i = 0; i < COUNT(bad_samples); i++) {
		struct profil_samples request = {
			.buf = (uintptr_t)never_written,
			.nsamples = 100,
			.width = 8,
			.rate = PROFIL_RATE_TICK,
			.page = 0x1111,
		};

		put(&request, &bad_samples[i]);
		expect(bad_samples[i].what, start_array(&request), bad_samples[i].error);
		CHECK_EQ(request.page, 0x1111);
	}
	check_running_to_the_end();
}

#if defined(__aarch64__)
#define A_TAG		(0xa5ULL << 56)
static bool tag_addresses(void)
{
	return prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0) == 0;
}
#elif defined(__x86_64__)
#define A_TAG		(0x2aULL << 57)
static bool tag_addresses(void)
{
	/* ARCH_ENABLE_TAGGED_ADDR, with as many bits as there are. */
	return syscall(SYS_arch_prctl, 0x4002, 6) == 0;
}
#else
#define A_TAG		(1ULL << 57)
static bool tag_addresses(void)
{
	return false;
}
#endif

static uint64_t tagged(const void *address)
{
	return (uintptr_t)address | A_TAG;
}

#ifndef __aarch64__
/* There, the hardware ignores the highest byte of each address. */
TEST(address_with_a_tag_that_nobody_has_allowed_is_refused)
{
	struct profil_region region = good_region();

	start_running();
	region.buf = tagged(never_written);
	expect("region", start_region(region, PROFIL_RATE_TICK), EFAULT);
	expect("array", start_samples((void *)(uintptr_t)never_written, 1ULL << 57, 8,
				      PROFIL_RATE_TICK), EFAULT);
	check_running_to_the_end();
}
#endif

TEST(tag_of_an_address_is_ignored)
{
	static uint64_t array[64];
	struct profil_status last = { .size = sizeof(last) };
	struct profil_region region;
	struct profil_histogram histogram;
	struct profil_samples samples = {
		.size = sizeof(samples),
		.nsamples = 64,
		.width = 8,
		.rate = PROFIL_RATE_TICK,
	};
	struct profil_status st;

	if (!tag_addresses())
		SKIP("no tagged addresses");
	region = everything(&running, sizeof(running), 4);
	region.buf = tagged(&running);
	histogram = good_histogram(&region, 1);
	histogram.regions = tagged(&region);
	histogram.last = tagged(&last);
	CHECK_EQ(start_histogram(&histogram), 0);
	CHECK(work_for_ticks(10));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(running, st.counted);
	samples.buf = tagged(array);
	CHECK_EQ(start_array(&samples), 0);
	CHECK(work_for_ticks(10));
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_NE(array[st.nsamples - 1], 0);
}

TEST(bad_request_without_a_running_profile_leaves_none)
{
	struct profil_region region = good_region();
	struct profil_histogram request = good_histogram(&region, 1);
	struct profil_status st;

	request.nregions = 0;
	CHECK_EQ(start_histogram(&request), -EINVAL);
	CHECK_EQ(start_samples(never_written, 10, 3, PROFIL_RATE_TICK), -EINVAL);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.mode, PROFIL_MODE_NONE);
	CHECK_EQ(st.state, PROFIL_STATE_OFF);
	CHECK(!has_page());
}

TEST(argument_that_cannot_be_read_or_written_is_a_fault)
{
	static const unsigned long all[] = {
		PROFIL_IOC_FEATURES, PROFIL_IOC_STATUS, PROFIL_IOC_HISTOGRAM,
		PROFIL_IOC_SAMPLES, PROFIL_IOC_STOP,
	};
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED);
	/* Not unmapped: the profil page would take the place. */
	CHECK_CALL(mprotect(mem + page_size, page_size, PROT_NONE));
	*(uint32_t *)(mem + page_size - 16) = 64;
	start_running();
	for (size_t i = 0; i < COUNT(all); i++) {
		expect("NULL", device_ioctl(all[i], NULL), EFAULT);
		expect("1", device_ioctl(all[i], (void *)1), EFAULT);
		expect("kernel", device_ioctl(all[i], (void *)(uintptr_t)KERNEL_ADDRESS), EFAULT);
		expect("unmapped", device_ioctl(all[i], mem + page_size), EFAULT);
		expect("half of the size", device_ioctl(all[i], mem + page_size - 2), EFAULT);
		expect("half", device_ioctl(all[i], mem + page_size - 16), EFAULT);
	}
	check_running_to_the_end();
}

/* A call that cannot report what it did must not have done it. */
TEST(request_in_read_only_memory_is_a_fault_and_changes_nothing)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct profil_region region = good_region();
	struct profil_histogram *histogram = (void *)mem;
	struct profil_samples *samples = (void *)(mem + 1024);
	struct profil_status *st = (void *)(mem + 2048);

	CHECK(mem != MAP_FAILED);
	*histogram = good_histogram(&region, 1);
	*st = (struct profil_status) { .size = sizeof(*st) };
	*samples = (struct profil_samples) {
		.size = sizeof(*samples),
		.buf = (uintptr_t)never_written,
		.nsamples = 100,
		.width = 8,
		.rate = PROFIL_RATE_TICK,
	};
	CHECK_CALL(mprotect(mem, page_size, PROT_READ));
	start_running();
	expect("histogram", device_ioctl(PROFIL_IOC_HISTOGRAM, histogram), EFAULT);
	expect("samples", device_ioctl(PROFIL_IOC_SAMPLES, samples), EFAULT);
	expect("stop", device_ioctl(PROFIL_IOC_STOP, st), EFAULT);
	check_running_to_the_end();
}

/* Each command with an argument that is good but for its size. */
static const struct {
	const char *what;
	unsigned long command;
	uint32_t least;
	uint32_t whole;
} commands[] = {
	{ "features", PROFIL_IOC_FEATURES, PROFIL_FEATURES_SIZE_MIN,
	  sizeof(struct profil_features) },
	{ "status", PROFIL_IOC_STATUS, PROFIL_STATUS_SIZE_MIN, sizeof(struct profil_status) },
	{ "histogram", PROFIL_IOC_HISTOGRAM, PROFIL_HISTOGRAM_SIZE_MIN,
	  sizeof(struct profil_histogram) },
	{ "samples", PROFIL_IOC_SAMPLES, PROFIL_SAMPLES_SIZE_MIN, sizeof(struct profil_samples) },
	{ "stop", PROFIL_IOC_STOP, PROFIL_STATUS_SIZE_MIN, sizeof(struct profil_status) },
};

/* The argument of commands[i], with all the rest of room as it is. */
static void good_argument(size_t i, void *room, uint32_t size)
{
	static struct profil_region region;
	struct profil_histogram histogram = good_histogram(&region, 1);
	struct profil_samples samples = {
		.buf = (uintptr_t)never_written,
		.nsamples = 100,
		.width = 8,
		.rate = PROFIL_RATE_TICK,
	};

	region = good_region();
	if (commands[i].command == PROFIL_IOC_HISTOGRAM)
		memcpy(room, &histogram, sizeof(histogram));
	else if (commands[i].command == PROFIL_IOC_SAMPLES)
		memcpy(room, &samples, sizeof(samples));
	memcpy(room, &size, sizeof(size));
}

static bool starts(size_t i)
{
	return commands[i].command == PROFIL_IOC_HISTOGRAM ||
	       commands[i].command == PROFIL_IOC_SAMPLES;
}

TEST(size_that_leaves_out_a_field_which_must_be_there_is_refused)
{
	char room[128];

	start_running();
	for (size_t i = 0; i < COUNT(commands); i++) {
		const uint32_t sizes[] = { 0, 1, 4, commands[i].least - 1 };

		for (size_t n = 0; n < COUNT(sizes); n++) {
			good_argument(i, room, sizes[n]);
			expect(commands[i].what, device_ioctl(commands[i].command, room), EINVAL);
		}
	}
	check_running_to_the_end();
}

TEST(size_above_the_most_is_refused)
{
	static char room[2 * PROFIL_SIZE_MAX];

	start_running();
	for (size_t i = 0; i < COUNT(commands); i++) {
		static const uint32_t sizes[] = {
			PROFIL_SIZE_MAX + 1, 2 * PROFIL_SIZE_MAX, 0x80000000, 0xffffffff,
		};

		for (size_t n = 0; n < COUNT(sizes); n++) {
			good_argument(i, room, sizes[n]);
			expect(commands[i].what, device_ioctl(commands[i].command, room), E2BIG);
		}
	}
	check_running_to_the_end();
}

TEST(field_of_a_request_that_the_kernel_does_not_know_must_be_0)
{
	static char room[PROFIL_SIZE_MAX];

	start_running();
	for (size_t i = 0; i < COUNT(commands); i++) {
		const uint32_t at[] = { commands[i].whole, sizeof(room) / 2, sizeof(room) - 1 };

		for (size_t n = 0; starts(i) && n < COUNT(at); n++) {
			memset(room, 0, sizeof(room));
			room[at[n]] = 1;
			good_argument(i, room, sizeof(room));
			expect(commands[i].what, device_ioctl(commands[i].command, room), E2BIG);
			/* The last one of its size. */
			good_argument(i, room, at[n] + 1);
			expect(commands[i].what, device_ioctl(commands[i].command, room), E2BIG);
		}
	}
	check_running_to_the_end();
}

TEST(longer_request_whose_unknown_fields_are_0_is_served)
{
	static char room[PROFIL_SIZE_MAX + 1];

	for (size_t i = 0; i < COUNT(commands); i++) {
		if (!starts(i))
			continue;
		for (uint32_t size = commands[i].whole + 1; size <= PROFIL_SIZE_MAX; size += 505) {
			memset(room, 0, sizeof(room));
			room[size] = 1;
			good_argument(i, room, size);
			CHECK_EQ(device_ioctl(commands[i].command, room), 0);
			CHECK_EQ(room[size], 1);
		}
	}
}

TEST(argument_whose_size_ends_in_unmapped_memory_is_a_fault)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED);
	CHECK_CALL(mprotect(mem + page_size, page_size, PROT_NONE));
	start_running();
	for (size_t i = 0; i < COUNT(commands); i++) {
		uint32_t whole = commands[i].whole;
		char *at = mem + page_size - whole;

		good_argument(i, at, whole + 1);
		expect("a byte", device_ioctl(commands[i].command, at), EFAULT);
		good_argument(i, at, PROFIL_SIZE_MAX);
		expect("a page", device_ioctl(commands[i].command, at), EFAULT);
	}
	check_running_to_the_end();
	for (size_t i = 0; i < COUNT(commands); i++) {
		char *at = mem + page_size - commands[i].whole;

		good_argument(i, at, commands[i].whole);
		CHECK_EQ(device_ioctl(commands[i].command, at), 0);
	}
}

/* All of it, even what the kernel could not say anything in. */
TEST(report_whose_end_is_read_only_is_a_fault_and_changes_nothing)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = mem + page_size - sizeof(struct profil_status);

	CHECK(mem != MAP_FAILED);
	CHECK_CALL(mprotect(mem + page_size, page_size, PROT_READ));
	start_running();
	*(uint32_t *)at = sizeof(struct profil_status) + 1;
	expect("stop", device_ioctl(PROFIL_IOC_STOP, at), EFAULT);
	expect("status", device_ioctl(PROFIL_IOC_STATUS, at), EFAULT);
	check_running_to_the_end();
}

TEST(histogram_request_of_the_least_size_is_served)
{
	struct profil_region region = everything(never_written, 4, 4);
	struct profil_histogram request = good_histogram(&region, 1);
	struct profil_status st;

	/* What the caller does not have is neither read nor written. */
	request.size = PROFIL_HISTOGRAM_SIZE_MIN;
	request.last = 1;
	CHECK_EQ(device_ioctl(PROFIL_IOC_HISTOGRAM, &request), 0);
	CHECK_EQ(request.size, PROFIL_HISTOGRAM_SIZE_MIN);
	CHECK_EQ(request.page, 0x1111);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.state, PROFIL_STATE_ON);
	CHECK_EQ(st.tag, request.tag);
}

TEST(page_address_is_cut_to_the_callers_size)
{
	struct profil_region region = everything(never_written, 4, 4);
	struct profil_histogram whole = good_histogram(&region, 1), part = whole;

	CHECK_EQ(start_histogram(&whole), 0);
	part.page = ~0ULL;
	part.size = offsetof(struct profil_histogram, page) + 4;
	CHECK_EQ(device_ioctl(PROFIL_IOC_HISTOGRAM, &part), 0);
	CHECK_EQ(part.page, whole.page | 0xffffffff00000000ULL);
}

TEST(sample_request_of_the_least_size_is_served)
{
	struct profil_samples request = {
		.size = PROFIL_SAMPLES_SIZE_MIN,
		.buf = (uintptr_t)never_written,
		.nsamples = 10,
		.width = 8,
		.rate = PROFIL_RATE_TICK,
		.tag = 3,
		.page = 0x1111,
		.last = 1,
	};
	struct profil_status st;

	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &request), 0);
	CHECK_EQ(request.size, PROFIL_SAMPLES_SIZE_MIN);
	CHECK_EQ(request.page, 0x1111);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.mode, PROFIL_MODE_SAMPLES);
	CHECK_EQ(st.tag, 3);
}

/* After command has filled in the first size bytes of a report of known bytes. */
static void check_report(unsigned long command, uint32_t size, uint32_t known)
{
	unsigned char room[PROFIL_SIZE_MAX + 1];
	uint32_t filled;

	memset(room, 0xa5, sizeof(room));
	memcpy(room, &size, sizeof(size));
	CHECK_EQ(device_ioctl(command, room), 0);
	memcpy(&filled, room, sizeof(filled));
	CHECK_EQ(filled, size < known ? size : known);
	for (uint32_t i = known; i < size; i++)
		CHECK_EQ(room[i], 0);
	CHECK_EQ(room[size], 0xa5);
	/* The last field of each of them has a byte that is not 0xa5. */
	CHECK_NE(room[filled - 1], 0xa5);
}

TEST(report_is_cut_or_filled_with_zeros_to_the_callers_size)
{
	for (size_t i = 0; i < COUNT(commands); i++) {
		uint32_t least = commands[i].least, whole = commands[i].whole;

		if (starts(i))
			continue;
		check_report(commands[i].command, least, whole);
		check_report(commands[i].command, least + 8, whole);
		check_report(commands[i].command, whole, whole);
		check_report(commands[i].command, whole + 1, whole);
		check_report(commands[i].command, PROFIL_SIZE_MAX, whole);
	}
}

static int start_with_last(void *last)
{
	struct profil_region region = good_region();
	struct profil_histogram request = good_histogram(&region, 1);

	request.last = (uintptr_t)last;
	return start_histogram(&request);
}

TEST(report_of_the_replaced_profile_follows_the_rules_of_sizes)
{
	static unsigned char room[PROFIL_SIZE_MAX + 1];
	uint32_t *size = (void *)room;

	start_running();
	*size = PROFIL_STATUS_SIZE_MIN - 1;
	expect("short", start_with_last(room), EINVAL);
	*size = PROFIL_SIZE_MAX + 1;
	expect("long", start_with_last(room), E2BIG);
	check_running_to_the_end();

	memset(room, 0xa5, sizeof(room));
	*size = PROFIL_STATUS_SIZE_MIN;
	CHECK_EQ(start_with_last(room), 0);
	CHECK_EQ(*size, PROFIL_STATUS_SIZE_MIN);
	CHECK_EQ(room[PROFIL_STATUS_SIZE_MIN], 0xa5);
	*size = PROFIL_SIZE_MAX;
	CHECK_EQ(start_with_last(room), 0);
	CHECK_EQ(*size, sizeof(struct profil_status));
	CHECK_EQ(((struct profil_status *)room)->tag, ~(uint32_t)TAG);
	for (uint32_t i = sizeof(struct profil_status); i < PROFIL_SIZE_MAX; i++)
		CHECK_EQ(room[i], 0);
	CHECK_EQ(room[PROFIL_SIZE_MAX], 0xa5);
}

TEST(read_only_place_for_the_replaced_profile_is_a_fault_and_changes_nothing)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct profil_status *last = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(last != MAP_FAILED);
	last->size = sizeof(*last);
	CHECK_CALL(mprotect(last, page_size, PROT_READ));
	start_running();
	expect("read-only", start_with_last(last), EFAULT);
	check_running_to_the_end();
}

/* n regions of size bytes each, good but for their length. */
static int start_sized(char *regions, unsigned int n, uint32_t size)
{
	struct profil_histogram request = good_histogram((void *)regions, n);

	request.region_size = size;
	return start_histogram(&request);
}

static void put_sized(char *regions, unsigned int n, uint32_t size)
{
	struct profil_region region = good_region();

	for (unsigned int i = 0; i < n; i++)
		memcpy(regions + i * size, &region, size < sizeof(region) ? size : sizeof(region));
}

TEST(field_of_a_region_that_the_kernel_does_not_know_must_be_0)
{
	static char regions[3 * PROFIL_SIZE_MAX];

	start_running();
	for (uint32_t size = sizeof(struct profil_region) + 1; size <= PROFIL_SIZE_MAX;
	     size += 403) {
		for (unsigned int i = 0; i < 3; i++) {
			memset(regions, 0, sizeof(regions));
			put_sized(regions, 3, size);
			regions[(i + 1) * size - 1] = 1;
			expect("last byte", start_sized(regions, 3, size), E2BIG);
		}
	}
	check_running_to_the_end();
}

TEST(longer_regions_whose_unknown_fields_are_0_are_served)
{
	static char regions[3 * PROFIL_SIZE_MAX + 1];

	for (uint32_t size = sizeof(struct profil_region) + 1; size <= PROFIL_SIZE_MAX;
	     size += 403) {
		memset(regions, 0, sizeof(regions));
		put_sized(regions, 3, size);
		regions[3 * size] = 1;
		CHECK_EQ(start_sized(regions, 3, size), 0);
	}
}

/* A region of the least size has no flags: it is no catch-all. */
TEST(regions_of_the_least_size_are_served)
{
	static uint32_t counters[2];
	struct profil_region region[2] = {
		one_counter(&counters[0], 4, 4, text_b()),
		one_counter(&counters[1], 4, 4, text_a()),
	};
	char regions[2 * PROFIL_REGION_SIZE_MIN];
	struct profil_status st;

	for (unsigned int i = 0; i < 2; i++)
		memcpy(regions + i * PROFIL_REGION_SIZE_MIN, &region[i], PROFIL_REGION_SIZE_MIN);
	CHECK_EQ(start_sized(regions, 2, PROFIL_REGION_SIZE_MIN), 0);
	CHECK_EQ(get_status(&st), 0);
	while (get_status(&st) == 0 && st.ticks < 20)
		hot_a(100000);
	CHECK_EQ(stop(&st), 0);
	CHECK_NOTHING_LOST(&st);
	CHECK_EQ(counters[0], 0);
	CHECK_EQ(counters[1], st.counted);
	CHECK_GT(counters[1], 0);
}

TEST(request_across_a_page_never_touched_is_served)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct profil_status *st = (void *)(mem + page_size - 64);

	CHECK(mem != MAP_FAILED);
	start_running();
	CHECK(work_for_ticks(3));
	CHECK_EQ(get_status(st), 0);
	CHECK_GE(st->ticks, 3);
	check_running_to_the_end();
}

TEST(unknown_commands_are_not_tty)
{
	static const unsigned long known[] = {
		PROFIL_IOC_FEATURES, PROFIL_IOC_STATUS, PROFIL_IOC_HISTOGRAM,
		PROFIL_IOC_SAMPLES, PROFIL_IOC_STOP,
	};
	char room[1024] = { 0 };

	start_running();
	/* Each other number of ours, and each known one with a bit wrong. */
	for (unsigned int nr = 5; nr < 256; nr++)
		expect("number", device_ioctl(_IOWR(PROFIL_IOC_MAGIC, nr, struct profil_status),
					      room), ENOTTY);
	for (size_t i = 0; i < COUNT(known); i++)
		for (unsigned int bit = 8; bit < 32; bit++)
			expect("bit", device_ioctl(known[i] ^ (1UL << bit), room), ENOTTY);
	/* Nor with a size and a direction, as most commands have them. */
	expect("size", device_ioctl(_IOR(PROFIL_IOC_MAGIC, 1, struct profil_status), room),
	       ENOTTY);
	/* TCGETS, FIONREAD, BLKGETSIZE; FIONBIO and FIOCLEX are the VFS's. */
	expect("TCGETS", device_ioctl(0x5401, room), ENOTTY);
	expect("FIONREAD", device_ioctl(0x541b, room), ENOTTY);
	expect("BLKGETSIZE", device_ioctl(0x1260, room), ENOTTY);
	expect("0", device_ioctl(0, room), ENOTTY);
	expect("all ones", device_ioctl(0xffffffff, room), ENOTTY);
	check_running_to_the_end();
}

static void check_stacks(uint32_t version)
{
	static uint64_t array[16], stream[PROFIL_STACKS_SIZE_MIN / 8];
	struct profil_samples request = {
		.buf		= (uintptr_t)array,
		.nsamples	= 16,
		.width		= 8,
		.rate		= PROFIL_RATE_TICK,
		.stacks		= (uintptr_t)stream,
		.stacks_size	= sizeof(stream),
	};
	struct profil_object_table table = {
		.size		= sizeof(table),
		.object_size	= sizeof(struct profil_object),
	};

	CHECK_EQ(version & ~1U, 0);
	CHECK_EQ(start_array(&request), version ? 0 : -EINVAL);
	CHECK_EQ(device_ioctl(PROFIL_IOC_OBJECTS, &table), version ? 0 : -EINVAL);
}

TEST(features_name_what_requests_may_ask_for)
{
	struct profil_features features;

	memset(&features, 0xff, sizeof(features));
	CHECK_EQ(get_features(&features), 0);
	CHECK_EQ(features.size, sizeof(features));
	CHECK_EQ(features.rates & 3, 3);
	CHECK_EQ(features.rates & ~7U, 0);
	CHECK_EQ(features.widths & ~14U, 0);
	CHECK_EQ(features.modes & 1, 0);
	for (unsigned int width = 1; width <= 16; width++) {
		struct profil_region region = good_region();
		bool known = (width == 2 || width == 4 || width == 8) &&
			     (features.widths & width);
		int ret;

		region.width = (uint8_t)width;
		ret = start_region(region, PROFIL_RATE_TICK);
		CHECK_EQ(ret, known ? 0 : -EINVAL);
	}
	for (unsigned int index = 0; index < 8; index++) {
		struct profil_region region = good_region();

		region.index = (uint8_t)index;
		CHECK_EQ(start_region(region, PROFIL_RATE_TICK),
			 features.indexes & (1U << index) ? 0 : -EINVAL);
	}
	for (unsigned int limit = 0; limit < 8; limit++) {
		struct profil_region region = good_region();

		region.at_limit = (uint8_t)limit;
		CHECK_EQ(start_region(region, PROFIL_RATE_TICK),
			 features.limits & (1U << limit) ? 0 : -EINVAL);
	}
	for (unsigned int fault = 0; fault < 8; fault++) {
		struct profil_region region = good_region();

		region.on_fault = (uint8_t)fault;
		CHECK_EQ(start_region(region, PROFIL_RATE_TICK),
			 features.faults & (1U << fault) ? 0 : -EINVAL);
	}
	for (unsigned int rate = 0; rate < 8; rate++)
		CHECK_EQ(start_region(good_region(), rate),
			 features.rates & (1U << rate) ? 0 : -EINVAL);
	check_stacks(features.stacks);
}
