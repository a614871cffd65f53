// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bad requests: each is valid but for one thing, each has its errno, and none
 * changes anything: the profile that runs goes on, with its tag and buffer.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define TAG	0x5eed

/* Above what any 64-bit machine gives to processes by default. */
#define KERNEL_ADDRESS	(sizeof(long) == 8 ? 0xffff888000000000ULL : 0xffffff00ULL)

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
		.regions = (uintptr_t)regions,
		.nregions = n,
		.region_size = sizeof(*regions),
		.rate = PROFIL_RATE_TICK,
		.tag = ~TAG,
		.page = 0x1111,
		.last.size = 0x2222,
	};
}

TEST(each_wrong_field_of_a_histogram_request_is_refused)
{
	static const struct bad table[] = {
		FIELD(profil_histogram, regions, 0, EFAULT),
		FIELD(profil_histogram, regions, 1, EFAULT),
		FIELD(profil_histogram, regions, KERNEL_ADDRESS, EFAULT),
		FIELD(profil_histogram, regions, 0x8000000000000000ULL, EFAULT),
		FIELD(profil_histogram, regions, 0xffffffffffffffffULL, EFAULT),
		FIELD(profil_histogram, nregions, 0, EINVAL),
		FIELD(profil_histogram, nregions, 0xffffffff, E2BIG),
		FIELD(profil_histogram, nregions, 0x80000000, E2BIG),
		FIELD(profil_histogram, region_size, 0, EINVAL),
		FIELD(profil_histogram, region_size, sizeof(struct profil_region) - 1, EINVAL),
		FIELD(profil_histogram, region_size, sizeof(struct profil_region) + 1, EINVAL),
		FIELD(profil_histogram, region_size, 2 * sizeof(struct profil_region), EINVAL),
		FIELD(profil_histogram, region_size, 0xffffffff, EINVAL),
		FIELD(profil_histogram, rate, 3, EINVAL),
		FIELD(profil_histogram, rate, 0x80000000, EINVAL),
		FIELD(profil_histogram, rate, 0xffffffff, EINVAL),
		FIELD(profil_histogram, flags, PROFIL_RANDOM, EINVAL),
		FIELD(profil_histogram, reserved, 1, EINVAL),
		FIELD(profil_histogram, reserved, 0x80000000, EINVAL),
	};
	struct profil_region region = good_region();

	start_running();
	for (size_t i = 0; i < COUNT(table); i++) {
		struct profil_histogram request = good_histogram(&region, 1);

		put(&request, &table[i]);
		expect(table[i].what, start_histogram(&request), table[i].error);
		/* Nothing is written to a request that fails. */
		CHECK_EQ(request.page, 0x1111);
		CHECK_EQ(request.last.size, 0x2222);
	}
	check_running_to_the_end();
}

TEST(each_unknown_flag_of_a_histogram_request_is_refused)
{
	struct profil_region region = good_region();

	start_running();
	for (unsigned int bit = 2; bit < 32; bit++) {
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
	FIELD(profil_region, buf, 0x8000000000000000ULL, EFAULT),
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
	FIELD(profil_samples, buf, 0x8000000000000000ULL, EFAULT),
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
	FIELD(profil_samples, rate, 3, EINVAL),
	FIELD(profil_samples, rate, 0xffffffff, EINVAL),
	FIELD(profil_samples, flags, PROFIL_RANDOM, EINVAL),
	FIELD(profil_samples, flags, 4, EINVAL),
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
			.last.size = 0x2222,
		};

		put(&request, &bad_samples[i]);
		expect(bad_samples[i].what, start_array(&request), bad_samples[i].error);
		CHECK_EQ(request.page, 0x1111);
		CHECK_EQ(request.last.size, 0x2222);
	}
	check_running_to_the_end();
}

TEST(bad_request_without_a_running_profile_leaves_none)
{
	struct profil_region region = good_region();
	struct profil_histogram request = good_histogram(&region, 1);
	struct profil_status st;

	request.reserved = 1;
	CHECK_EQ(start_histogram(&request), -EINVAL);
	CHECK_EQ(start_samples(never_written, 10, 3, PROFIL_RATE_TICK), -EINVAL);
	CHECK_EQ(get_status(&st), 0);
	CHECK_EQ(st.mode, PROFIL_MODE_NONE);
	CHECK_EQ(st.state, PROFIL_STATE_OFF);
	CHECK(!has_page());
}

TEST(argument_that_cannot_be_read_or_written_is_a_fault)
{
	static const unsigned long commands[] = {
		PROFIL_IOC_FEATURES, PROFIL_IOC_STATUS, PROFIL_IOC_HISTOGRAM,
		PROFIL_IOC_SAMPLES, PROFIL_IOC_STOP,
	};
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED);
	/* Not unmapped: the profil page would take the place. */
	CHECK_CALL(mprotect(mem + page_size, page_size, PROT_NONE));
	start_running();
	for (size_t i = 0; i < COUNT(commands); i++) {
		/* All zeros is no valid request, so only EFAULT for 0 bytes. */
		expect("NULL", device_ioctl(commands[i], NULL), EFAULT);
		expect("1", device_ioctl(commands[i], (void *)1), EFAULT);
		expect("kernel", device_ioctl(commands[i],
					      (void *)(uintptr_t)KERNEL_ADDRESS), EFAULT);
		expect("unmapped", device_ioctl(commands[i], mem + page_size), EFAULT);
		expect("half", device_ioctl(commands[i], mem + page_size - 16), EFAULT);
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

	CHECK(mem != MAP_FAILED);
	*histogram = good_histogram(&region, 1);
	*samples = (struct profil_samples) {
		.buf = (uintptr_t)never_written,
		.nsamples = 100,
		.width = 8,
		.rate = PROFIL_RATE_TICK,
	};
	CHECK_CALL(mprotect(mem, page_size, PROT_READ));
	start_running();
	expect("histogram", device_ioctl(PROFIL_IOC_HISTOGRAM, histogram), EFAULT);
	expect("samples", device_ioctl(PROFIL_IOC_SAMPLES, samples), EFAULT);
	expect("stop", device_ioctl(PROFIL_IOC_STOP, mem + 2048), EFAULT);
	check_running_to_the_end();
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
	/* TCGETS, FIONREAD, BLKGETSIZE; FIONBIO and FIOCLEX are the VFS's. */
	expect("TCGETS", device_ioctl(0x5401, room), ENOTTY);
	expect("FIONREAD", device_ioctl(0x541b, room), ENOTTY);
	expect("BLKGETSIZE", device_ioctl(0x1260, room), ENOTTY);
	expect("0", device_ioctl(0, room), ENOTTY);
	expect("all ones", device_ioctl(0xffffffff, room), ENOTTY);
	check_running_to_the_end();
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
	for (unsigned int i = 0; i < 4; i++)
		CHECK_EQ(features.reserved[i], 0);
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
}
