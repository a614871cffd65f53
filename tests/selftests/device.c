// SPDX-License-Identifier: LGPL-2.1-or-later
/* The raw interface of /dev/profil; see device.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"

static const volatile struct profil_status *last_page;

int device_ioctl(unsigned long cmd, void *arg)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = ioctl(fd, cmd, arg);
	if (ret < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int get_features(struct profil_features *features)
{
	features->size = sizeof(*features);
	return device_ioctl(PROFIL_IOC_FEATURES, features);
}

int get_status(struct profil_status *status)
{
	status->size = sizeof(*status);
	return device_ioctl(PROFIL_IOC_STATUS, status);
}

int stop(struct profil_status *status)
{
	status->size = sizeof(*status);
	return device_ioctl(PROFIL_IOC_STOP, status);
}

static int start(unsigned long cmd, void *request, const __u64 *address)
{
	int ret = device_ioctl(cmd, request);

	if (ret == 0)
		last_page = (const volatile struct profil_status *)(uintptr_t)*address;
	return ret;
}

int start_histogram(struct profil_histogram *request)
{
	return start(PROFIL_IOC_HISTOGRAM, request, &request->page);
}

int start_array(struct profil_samples *request)
{
	return start(PROFIL_IOC_SAMPLES, request, &request->page);
}

int start_regions(const struct profil_region *regions, unsigned int n, unsigned int rate)
{
	struct profil_histogram request = HISTOGRAM_OF(regions, n, rate);

	return start_histogram(&request);
}

int start_region(struct profil_region region, unsigned int rate)
{
	return start_regions(&region, 1, rate);
}

int start_samples(void *buf, uint64_t n, unsigned int width, unsigned int rate)
{
	struct profil_samples request = SAMPLES(buf, n, width, rate);

	return start_array(&request);
}

const volatile struct profil_status *page(void)
{
	return last_page;
}

struct profil_region everything(void *buf, size_t size, unsigned int width)
{
	return (struct profil_region) {
		.buf = (uintptr_t)buf, .size = size, .width = width,
	};
}

struct profil_region one_counter(void *buf, size_t size, unsigned int width, struct text text)
{
	return (struct profil_region) {
		.buf = (uintptr_t)buf, .size = size, .offset = text.lo, .pc_end = text.hi,
		.width = width,
	};
}

struct profil_region one_to_one(void *buf, size_t size, unsigned int width, struct text text)
{
	struct profil_region region = one_counter(buf, size, width, text);

	region.scale = 0x10000;
	return region;
}

uint64_t counter(const void *buf, size_t i, unsigned int width)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)buf + i * width, width);
	return value;
}

uint64_t sum(const void *buf, size_t n, unsigned int width)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += counter(buf, i, width);
	return total;
}

unsigned int mappings(const char *name, char first[512])
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int found = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, name) && !found++)
			strcpy(first, line);
	if (maps)
		fclose(maps);
	return found;
}

bool has_page(void)
{
	char line[512];

	return mappings(DEVICE, line) > 0;
}

int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t got = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	do {
		n = read(fd, text + got, size - 1 - got);
		if (n > 0)
			got += (size_t)n;
	} while (n > 0 && got < size - 1);
	text[got] = '\0';
	close(fd);
	return n < 0 ? -1 : 0;
}

int write_file(const char *path, const char *text)
{
	size_t length = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int error;

	if (fd < 0)
		return -1;
	n = write(fd, text, length);
	error = errno;
	close(fd);
	errno = error;
	return n == (ssize_t)length ? 0 : -1;
}
