// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PROFIL_IOC_HISTOGRAM of /dev/profil, see profil(4). No historical call offers both
 * of these: 1000 ticks a second, and one counter of 8 bytes for a whole function.
 */
#include <fcntl.h>
#include <linux/profil.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>

__attribute__((noinline, section("work_text")))
static void work(volatile unsigned long *sum)
{
	for (int i = 0; i < 100000; i++)
		*sum += 3;
}

/* The linker defines these for a section whose name is a C identifier. */
extern const char __start_work_text[], __stop_work_text[];

int main(void)
{
	uint64_t counter = 0;
	struct profil_region region = {
		.buf = (uintptr_t)&counter, .size = sizeof(counter),
		.width = sizeof(counter), .scale = 0,	/* all into counter 0 */
		.offset = (uintptr_t)__start_work_text,
		.pc_end = (uintptr_t)__stop_work_text,
	};
	struct profil_histogram request = {
		.size = sizeof(request), .rate = PROFIL_RATE_FAST,
		.regions = (uintptr_t)&region, .nregions = 1,
		.region_size = sizeof(region),
	};
	struct profil_status status = { .size = sizeof(status) };
	int fd = open("/dev/profil", O_RDONLY | O_CLOEXEC);
	volatile unsigned long sum = 0;

	if (fd < 0 || ioctl(fd, PROFIL_IOC_HISTOGRAM, &request) < 0) {
		perror("/dev/profil");
		return 1;
	}
	while (clock() < CLOCKS_PER_SEC)
		work(&sum);
	if (ioctl(fd, PROFIL_IOC_STOP, &status) < 0) {
		perror("/dev/profil");
		return 1;
	}
	printf("%llu of %llu ticks in work()\n", (unsigned long long)counter,
	       (unsigned long long)status.ticks);
	return 0;
}
