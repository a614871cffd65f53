// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Arguments whose size is not this kernel's, and arguments at the ends of memory: some
 * are refused (see refused.h), and others are accepted.
 */
#include "refused.h"

TEST(region_array_that_ends_in_unmapped_memory_is_refused)
{
	char *end = end_of_page(PROT_NONE);
	struct profil_region *regions;

	regions = (struct profil_region *)end - 2;
	regions[0] = good_region();
	regions[1] = good_region();
	start_running();
	expect("third of three", start_regions(regions, 3, PROFIL_RATE_TICK), EFAULT);
	expect("half of one",
	       start_regions((void *)((char *)(regions + 1) + 32), 1, PROFIL_RATE_TICK), EFAULT);
	check_running_to_the_end();
}

/* Each command with an argument that is valid except for its size. */
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

enum { FEATURES, STATUS, HISTOGRAM, SAMPLES, STOP };

/* The argument of commands[i], with all the rest of room as it is. */
static void good_argument(size_t i, void *room, uint32_t size)
{
	static struct profil_region region;
	struct profil_histogram histogram = good_histogram(&region, 1);
	struct profil_samples samples = good_samples();

	region = good_region();
	if (i == HISTOGRAM)
		memcpy(room, &histogram, sizeof(histogram));
	else if (i == SAMPLES)
		memcpy(room, &samples, sizeof(samples));
	memcpy(room, &size, sizeof(size));
}

static int start_with_last(void *last)
{
	struct profil_region region = good_region();
	struct profil_histogram request = good_histogram(&region, 1);

	request.last = (uintptr_t)last;
	return start_histogram(&request);
}

TEST(argument_that_cannot_be_read_or_written_is_a_fault)
{
	char *end = end_of_page(PROT_NONE);
	void *const bad[] = {
		NULL, (void *)1, (void *)(uintptr_t)KERNEL_ADDRESS, end,
		/* Half of the size, and half of the rest. */
		end - 2, end - 16,
	};

	*(uint32_t *)(end - 16) = 64;
	start_running();
	for (size_t i = 0; i < COUNT(commands); i++)
		for (size_t n = 0; n < COUNT(bad); n++)
			expect(commands[i].what, device_ioctl(commands[i].command, bad[n]), EFAULT);
	check_running_to_the_end();
}

TEST(call_that_cannot_report_is_a_fault_and_does_nothing)
{
	char *end = end_of_page(PROT_READ | PROT_WRITE);
	char *part = end - sizeof(struct profil_status);

	good_argument(HISTOGRAM, end, sizeof(struct profil_histogram));
	good_argument(SAMPLES, end + 1024, sizeof(struct profil_samples));
	good_argument(STOP, end + 2048, sizeof(struct profil_status));
	/* All of it counts, even what the kernel could not say anything in. */
	good_argument(STOP, part, sizeof(struct profil_status) + 1);
	CHECK_CALL(mprotect(end, PAGE, PROT_READ));
	start_running();
	expect("histogram", device_ioctl(PROFIL_IOC_HISTOGRAM, end), EFAULT);
	expect("samples", device_ioctl(PROFIL_IOC_SAMPLES, end + 1024), EFAULT);
	expect("stop", device_ioctl(PROFIL_IOC_STOP, end + 2048), EFAULT);
	expect("end of a stop", device_ioctl(PROFIL_IOC_STOP, part), EFAULT);
	expect("end of a status", device_ioctl(PROFIL_IOC_STATUS, part), EFAULT);
	expect("replaced profile", start_with_last(end + 2048), EFAULT);
	check_running_to_the_end();
}

static void refuse_size(size_t i, uint32_t size, int error)
{
	static char room[2 * PROFIL_SIZE_MAX];

	good_argument(i, room, size);
	expect(commands[i].what, device_ioctl(commands[i].command, room), error);
}

TEST(size_beyond_its_bounds_is_refused)
{
	static const uint32_t above[] = {
		PROFIL_SIZE_MAX + 1, 2 * PROFIL_SIZE_MAX, 0x80000000, 0xffffffff,
	};

	start_running();
	for (size_t i = 0; i < COUNT(commands); i++) {
		const uint32_t below[] = { 0, 1, 4, commands[i].least - 1 };

		for (size_t n = 0; n < COUNT(above); n++) {
			refuse_size(i, below[n], EINVAL);
			refuse_size(i, above[n], E2BIG);
		}
	}
	check_running_to_the_end();
}

TEST(request_may_be_longer_if_its_unknown_fields_are_0)
{
	static char room[PROFIL_SIZE_MAX + 1];

	for (size_t i = HISTOGRAM; i <= SAMPLES; i++) {
		for (uint32_t size = commands[i].whole + 1; size <= PROFIL_SIZE_MAX; size += 505) {
			const uint32_t at[] = { commands[i].whole, size - 1 };

			memset(room, 0, sizeof(room));
			good_argument(i, room, size);
			start_running();
			for (size_t n = 0; n < COUNT(at); n++) {
				room[at[n]] = 1;
				expect("longer", device_ioctl(commands[i].command, room), E2BIG);
				room[at[n]] = 0;
			}
			room[size] = 1;
			CHECK_EQ(device_ioctl(commands[i].command, room), 0);
			CHECK_EQ(room[size], 1);
		}
	}
}

TEST(argument_whose_size_ends_in_unmapped_memory_is_a_fault)
{
	char *end = end_of_page(PROT_NONE);

	start_running();
	for (size_t i = 0; i < COUNT(commands); i++) {
		uint32_t whole = commands[i].whole;
		char *at = end - whole;

		good_argument(i, at, whole + 1);
		expect("a byte", device_ioctl(commands[i].command, at), EFAULT);
		good_argument(i, at, PROFIL_SIZE_MAX);
		expect("a page", device_ioctl(commands[i].command, at), EFAULT);
	}
	check_running_to_the_end();
	for (size_t i = 0; i < COUNT(commands); i++) {
		char *at = end - commands[i].whole;

		good_argument(i, at, commands[i].whole);
		CHECK_EQ(device_ioctl(commands[i].command, at), 0);
	}
}

/* What the caller does not have is neither read nor written. */
TEST(request_of_the_least_size_is_served)
{
	struct profil_region region = everything(never_written, 4, 4);
	struct profil_histogram histogram = good_histogram(&region, 1);
	struct profil_samples samples = good_samples();

	histogram.size = PROFIL_HISTOGRAM_SIZE_MIN;
	histogram.last = 1;
	CHECK_EQ(device_ioctl(PROFIL_IOC_HISTOGRAM, &histogram), 0);
	CHECK_EQ(histogram.size, PROFIL_HISTOGRAM_SIZE_MIN);
	CHECK_EQ(histogram.page, 0x1111);
	CHECK_EQ(status().tag, histogram.tag);
	samples.size = PROFIL_SAMPLES_SIZE_MIN;
	samples.last = 1;
	CHECK_EQ(device_ioctl(PROFIL_IOC_SAMPLES, &samples), 0);
	CHECK_EQ(samples.size, PROFIL_SAMPLES_SIZE_MIN);
	CHECK_EQ(samples.page, 0x1111);
	CHECK_EQ(status().mode, PROFIL_MODE_SAMPLES);
	CHECK_EQ(status().tag, 3);
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
		const uint32_t sizes[] = { least, least + 8, whole, whole + 1, PROFIL_SIZE_MAX };

		for (size_t n = 0; n < COUNT(sizes) && i != HISTOGRAM && i != SAMPLES; n++)
			check_report(commands[i].command, sizes[n], whole);
	}
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

TEST(regions_may_be_longer_if_their_unknown_fields_are_0)
{
	static char regions[3 * PROFIL_SIZE_MAX + 1];

	for (uint32_t size = sizeof(struct profil_region) + 1; size <= PROFIL_SIZE_MAX;
	     size += 403) {
		memset(regions, 0, sizeof(regions));
		put_sized(regions, 3, size);
		start_running();
		for (unsigned int end = size; end <= 3 * size; end += size) {
			regions[end - 1] = 1;
			expect("last byte", start_sized(regions, 3, size), E2BIG);
			regions[end - 1] = 0;
		}
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

	for (unsigned int i = 0; i < 2; i++)
		memcpy(regions + i * PROFIL_REGION_SIZE_MIN, &region[i], PROFIL_REGION_SIZE_MIN);
	CHECK_EQ(start_sized(regions, 2, PROFIL_REGION_SIZE_MIN), 0);
	CHECK(work_for_ticks(20));
	CHECK_EQ(stopped().counted, counters[1]);
	CHECK_EQ(counters[0], 0);
	CHECK_GT(counters[1], 0);
}
