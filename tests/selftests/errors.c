// SPDX-License-Identifier: LGPL-2.1-or-later
/* Bad values of each field of each request, as tables; see refused.h. */
#include "refused.h"

#include <limits.h>

/* No process has this address, with or without the bits of a tag. */
#define NO_ADDRESS	0x8080000000000000ULL

/* A field of a structure, and a value that is not allowed there. */
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

/* Little-endian: a smaller field gets the first bytes of the value. */
static void put(void *structure, const struct bad *bad)
{
	memcpy((char *)structure + bad->offset, &bad->value, bad->size);
}

static void refuse_each(const struct bad *bad, size_t n, int (*start)(const struct bad *bad))
{
	start_running();
	for (; n--; bad++)
		expect(bad->what, start(bad), bad->error);
	check_running_to_the_end();
}

#define REFUSE_EACH(table, start)	refuse_each(table, COUNT(table), start)

static const struct bad bad_histograms[] = {
	FIELD(profil_histogram, regions, 0, EFAULT),
	FIELD(profil_histogram, regions, KERNEL_ADDRESS, EFAULT),
	FIELD(profil_histogram, regions, NO_ADDRESS, EFAULT),
	FIELD(profil_histogram, regions, 0xffffffffffffffffULL, EFAULT),
	FIELD(profil_histogram, nregions, 0, EINVAL),
	FIELD(profil_histogram, nregions, 0xffffffff, E2BIG),
	FIELD(profil_histogram, region_size, 0, EINVAL),
	FIELD(profil_histogram, region_size, PROFIL_REGION_SIZE_MIN - 1, EINVAL),
	FIELD(profil_histogram, region_size, PROFIL_SIZE_MAX + 1, E2BIG),
	FIELD(profil_histogram, rate, 3, EINVAL),
	FIELD(profil_histogram, flags, PROFIL_RANDOM, EINVAL),
	FIELD(profil_histogram, last, 1, EFAULT),
	FIELD(profil_histogram, last, KERNEL_ADDRESS, EFAULT),
};

static int start_bad_histogram(const struct bad *bad)
{
	struct profil_region region = good_region();
	struct profil_histogram request = good_histogram(&region, 1);
	int ret;

	put(&request, bad);
	ret = start_histogram(&request);
	/* Nothing is written to a request that fails. */
	CHECK_EQ(request.page, 0x1111);
	return ret;
}

CASE(each_wrong_field_of_a_histogram_request_is_refused,
	REFUSE_EACH(bad_histograms, start_bad_histogram))

TEST(each_unknown_flag_of_a_histogram_request_is_refused)
{
	start_running();
	for (unsigned int bit = 3; bit < 32; bit++) {
		struct bad bad = FIELD(profil_histogram, flags, 1U << bit, EINVAL);

		if (1U << bit != PROFIL_DONTFORK)
			expect(bad.what, start_bad_histogram(&bad), bad.error);
	}
	check_running_to_the_end();
}

TEST_WITH(MAX_REGIONS, "2", a_new_limit_of_regions_holds_for_the_next_request)
{
	struct profil_region regions[3] = { good_region(), good_region(), good_region() };
	struct profil_status st;

	CHECK_FAILS(write_file(MAX_REGIONS, "0"), EINVAL);
	CHECK_FAILS(write_file(MAX_REGIONS, "65537"), EINVAL);
	start_running();
	expect("three of two", start_regions(regions, 3, PROFIL_RATE_TICK), E2BIG);
	check_running_to_the_end();
	CHECK_EQ(start_regions(regions, 2, PROFIL_RATE_TICK), 0);
	/* What runs goes on under a new limit. */
	CHECK_CALL(write_file(MAX_REGIONS, "1"));
	CHECK(work_for_ticks(10));
	st = stopped();
	CHECK_GE(st.ticks, 10);
	CHECK_EQ(sum(never_written, COUNT(never_written), 4), st.counted);
	CHECK_CALL(write_file(MAX_REGIONS, "3"));
	CHECK_EQ(start_regions(regions, 3, PROFIL_RATE_TICK), 0);
}

/* The unit tests have each value of each other field. */
static const struct bad bad_regions[] = {
	FIELD(profil_region, buf, KERNEL_ADDRESS, EFAULT),
	FIELD(profil_region, buf, NO_ADDRESS, EFAULT),
	FIELD(profil_region, buf, 0x7fffffffffffffffULL, EFAULT),
	FIELD(profil_region, size, 0x7fffffffffffffffULL, EFAULT),
#ifndef __aarch64__	/* which ignores tags of addresses */
	FIELD(profil_region, buf, 1ULL << 57 | PAGE, EFAULT),
#endif
	FIELD(profil_region, width, 0, EINVAL), FIELD(profil_region, reserved, 1, EINVAL),
};

static int start_bad_region(const struct bad *bad)
{
	struct profil_region region = good_region();

	put(&region, bad);
	return start_region(region, PROFIL_RATE_TICK);
}

CASE(each_wrong_field_of_a_region_is_refused, REFUSE_EACH(bad_regions, start_bad_region))

static const struct bad bad_samples[] = {
	FIELD(profil_samples, buf, KERNEL_ADDRESS, EFAULT),
	FIELD(profil_samples, buf, NO_ADDRESS, EFAULT),
	FIELD(profil_samples, buf, 0xfffffffffffffff8ULL, EINVAL),
	FIELD(profil_samples, nsamples, 0x0fffffffffffffffULL, EFAULT),
	FIELD(profil_samples, nsamples, 1ULL << 57, EFAULT),
	FIELD(profil_samples, nsamples, 0x2000000000000001ULL, EINVAL),
	FIELD(profil_samples, nsamples, 0xffffffffffffffffULL, EINVAL),
	FIELD(profil_samples, width, 2, EINVAL), FIELD(profil_samples, width, 6, EINVAL),
	FIELD(profil_samples, width, 0x108, EINVAL), FIELD(profil_samples, reserved, 1, EINVAL),
	FIELD(profil_samples, last, 1, EFAULT),
	FIELD(profil_samples, last, KERNEL_ADDRESS, EFAULT),
	FIELD(profil_samples, rate, 3, EINVAL),
	FIELD(profil_samples, flags, PROFIL_RANDOM, EINVAL),
	FIELD(profil_samples, flags, 8, EINVAL),
	FIELD(profil_samples, first_sample, 1, EINVAL),	/* without stacks */
};

static int start_bad_samples(const struct bad *bad)
{
	struct profil_samples request = good_samples();
	int ret;

	put(&request, bad);
	ret = start_array(&request);
	CHECK_EQ(request.page, 0x1111);
	return ret;
}

CASE(each_wrong_field_of_a_sample_request_is_refused, REFUSE_EACH(bad_samples, start_bad_samples))

static char stream[2 * PAGE];

static const struct bad bad_streams[] = {
	FIELD(profil_samples, stacks_size, PROFIL_STACKS_SIZE_MIN - 1, EINVAL),
	FIELD(profil_samples, stacks_size, UINT64_MAX - 4096, EINVAL),
	FIELD(profil_samples, stacks_size, 0, EINVAL), FIELD(profil_samples, stacks, 0, EINVAL),
	FIELD(profil_samples, stacks, UINT64_MAX - 8191, EFAULT),
};

static int start_bad_stream(const struct bad *bad)
{
	struct profil_samples request = good_samples();

	request.stacks = (uintptr_t)stream;
	request.stacks_size = PAGE;
	put(&request, bad);
	return start_array(&request);
}

CASE(each_wrong_field_of_a_request_for_stacks_is_refused,
	needs_stacks(); REFUSE_EACH(bad_streams, start_bad_stream))

static const struct bad bad_tables[] = {
	FIELD(profil_object_table, size, sizeof(struct profil_object_table) - 1, EINVAL),
	FIELD(profil_object_table, reserved, 1, EINVAL),
	FIELD(profil_object_table, object_size, 23, EINVAL),
	FIELD(profil_object_table, object_size, 4097, E2BIG),
	FIELD(profil_object_table, nobjects, PROFIL_OBJECTS_MAX + 1, E2BIG),
	FIELD(profil_object_table, objects, 0, EFAULT),
};

static struct profil_object objects[2] = { { 0x1000, 0x2000, 0 }, { 0x2000, 0x3000, 0x2100 } };

static int set_table(const struct bad *bad)
{
	struct profil_object_table table = {
		.size = sizeof(table), .nobjects = 2, .object_size = sizeof(objects[0]),
		.objects = (uintptr_t)objects,
	};

	if (bad)
		put(&table, bad);
	return device_ioctl(PROFIL_IOC_OBJECTS, &table);
}

TEST(tables_of_objects_that_are_wrong_are_refused)
{
	struct profil_object_table none = {
		.size = sizeof(none), .object_size = sizeof(objects[0]),
	};

	needs_stacks();
	CHECK(!has_page());
	CHECK_EQ(set_table(NULL), 0);
	CHECK(has_page());
	CHECK_EQ(device_ioctl(PROFIL_IOC_OBJECTS, &none), 0);
	REFUSE_EACH(bad_tables, set_table);
	/* It begins in the one before it, and behind its own end. */
	objects[1].start = 0x1fff;
	CHECK_EQ(set_table(NULL), -EINVAL);
	objects[1].start = 0x3000;
	CHECK_EQ(set_table(NULL), -EINVAL);
}

static char path[PATH_MAX + 1];

static int path_at(uint64_t address, const char *to, unsigned int bytes)
{
	struct profil_path request = {
		.size = sizeof(request), .bytes = bytes, .address = address, .path = (uintptr_t)to,
	};

	return device_ioctl(PROFIL_IOC_PATH, &request);
}

TEST(path_of_a_mapped_file_is_what_proc_says)
{
	int file = open("/tmp/mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint64_t code = (uintptr_t)path_at;
	char exe[PATH_MAX] = "", *map;
	unsigned int bytes;

	CHECK_CALL(readlink("/proc/self/exe", exe, sizeof(exe) - 1));
	bytes = (unsigned int)strlen(exe) + 1;
	CHECK_EQ(path_at(code, path, bytes), 0);
	CHECK(!strcmp(path, exe));
	CHECK_EQ(path_at(code, path, bytes - 1), -ENAMETOOLONG);
	CHECK_EQ(path_at(code, path, PATH_MAX + 1), -EINVAL);
	CHECK_EQ(path_at(code, end_of_page(PROT_READ) - bytes + 1, bytes), -EFAULT);
	CHECK_EQ(path_at((uintptr_t)&file, path, PATH_MAX), -ENOENT);
	CHECK_CALL(ftruncate(file, 2 * PAGE));
	map = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, file, 0);
	CHECK_CALL(unlink("/tmp/mapped"));
	CHECK_EQ(path_at((uintptr_t)map + 2 * PAGE - 1, path, PATH_MAX), 0);
	CHECK(!strcmp(path, "/tmp/mapped (deleted)"));
}

#ifdef __aarch64__
/* The hardware ignores the highest byte of each address. */
static uint64_t tagged(const void *address)
{
	return (uintptr_t)address | 0xa5ULL << 56;
}

TEST(tag_of_an_address_is_ignored)
{
	static uint64_t array[64];
	struct profil_status last = { .size = sizeof(last) };
	struct profil_region region;
	struct profil_histogram histogram;
	struct profil_samples samples = good_samples();
	struct profil_status st;

	CHECK_CALL(prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0));
	region = everything(&running, sizeof(running), 4);
	region.buf = tagged(&running);
	histogram = good_histogram(&region, 1);
	histogram.regions = tagged(&region);
	histogram.last = tagged(&last);
	CHECK_EQ(start_histogram(&histogram), 0);
	CHECK(work_for_ticks(10));
	st = stopped();
	CHECK_EQ(running, st.counted);
	samples.buf = tagged(array);
	samples.nsamples = COUNT(array);
	CHECK_EQ(start_array(&samples), 0);
	CHECK(work_for_ticks(10));
	st = stopped();
	CHECK_NE(array[st.nsamples - 1], 0);
}
#endif

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
	expect("size", device_ioctl(_IOR(PROFIL_IOC_MAGIC, 1, struct profil_status), room), ENOTTY);
	/* TCGETS, FIONREAD, BLKGETSIZE; FIONBIO and FIOCLEX are the VFS's. */
	expect("TCGETS", device_ioctl(0x5401, room), ENOTTY);
	expect("FIONREAD", device_ioctl(0x541b, room), ENOTTY);
	expect("BLKGETSIZE", device_ioctl(0x1260, room), ENOTTY);
	expect("0", device_ioctl(0, room), ENOTTY);
	expect("all ones", device_ioctl(0xffffffff, room), ENOTTY);
	check_running_to_the_end();
}

/* A module that was built without them has no such parameter. */
#define STACKS		"/sys/module/profil/parameters/stacks"

static void check_stacks(uint32_t version)
{
	static uint64_t array[16];
	struct profil_samples request = SAMPLES(array, 16, 8, PROFIL_RATE_TICK,
						.stacks = (uintptr_t)stream,
						.stacks_size = sizeof(stream));
	struct profil_object_table table = {
		.size = sizeof(table), .object_size = sizeof(struct profil_object),
	};

	bool built = !access(STACKS, F_OK);

	CHECK_EQ(version & ~1U, 0);
	CHECK_EQ(start_array(&request), version ? 0 : built ? -EOPNOTSUPP : -EINVAL);
	CHECK_EQ(device_ioctl(PROFIL_IOC_OBJECTS, &table), built ? 0 : -EINVAL);
}

/* A region with each value of a field: those that values has bits for are taken. */
static void check_named(size_t field, uint32_t values)
{
	for (unsigned int value = 0; value < 8; value++) {
		struct profil_region region = good_region();

		*((uint8_t *)&region + field) = (uint8_t)value;
		CHECK_EQ(start_region(region, PROFIL_RATE_TICK),
			 values & (1U << value) ? 0 : -EINVAL);
	}
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
	CHECK(features.flags & PROFIL_THREAD);
	for (unsigned int width = 1; width <= 16; width++)
		CHECK_EQ(start_region(everything(never_written, 64, width), PROFIL_RATE_TICK),
			 (width & (width - 1)) == 0 && (features.widths & width) ? 0 : -EINVAL);
	check_named(offsetof(struct profil_region, index), features.indexes);
	check_named(offsetof(struct profil_region, at_limit), features.limits);
	check_named(offsetof(struct profil_region, on_fault), features.faults);
	for (unsigned int rate = 0; rate < 8; rate++)
		CHECK_EQ(start_region(good_region(), rate),
			 features.rates & (1U << rate) ? 0 : -EINVAL);
	check_stacks(features.stacks);
}
