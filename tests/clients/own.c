// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A thread that has a profile of its own for a while, which it asks the device for,
 * and says how much that has counted.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <linux/profil.h>

#define ALONE	__attribute__((noinline, noipa))

static volatile unsigned long sink;
static uint32_t counter;
static int device;

static ALONE void before_it(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

static ALONE void in_its_own(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink -= i;
}

static ALONE void after_it(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink ^= i;
}

static void *body(void *arg)
{
	struct profil_status status = { .size = sizeof(status) };
	struct profil_thread mine = {
		.size = sizeof(mine),
		.status = (uintptr_t)&status,
	};
	struct profil_region all = {
		.buf = (uintptr_t)&counter,
		.size = sizeof(counter),
		.width = sizeof(counter),
		.flags = PROFIL_REGION_CATCH_ALL,
	};
	struct profil_histogram request = {
		.size = sizeof(request),
		.rate = PROFIL_RATE_TICK,
		.flags = PROFIL_THREAD,
		.regions = (uintptr_t)&all,
		.nregions = 1,
		.region_size = sizeof(all),
	};

	if (ioctl(device, PROFIL_IOC_HISTOGRAM, NULL) != -1 ||
	    ioctl(device, PROFIL_IOC_HISTOGRAM, &request))
		return arg;
	in_its_own(100000000);
	if (ioctl(device, PROFIL_IOC_THREAD_STOP, &mine))
		return arg;
	after_it(100000000);
	return status.counted == counter && counter > 5 ? NULL : arg;
}

int main(void)
{
	pthread_t thread;
	void *bad;

	device = open("/dev/profil", O_RDWR | O_CLOEXEC);
	before_it(100000000);
	if (device < 0 || pthread_create(&thread, NULL, body, &device) ||
	    pthread_join(thread, &bad) || bad)
		return 1;
	printf("%lu ticks\n", (unsigned long)counter);
	return 0;
}
