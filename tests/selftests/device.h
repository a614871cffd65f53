/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The raw interface of /dev/profil, as short calls: each opens the device,
 * does one ioctl and closes it again, and returns 0 or a negative errno.
 */
#ifndef SELFTESTS_DEVICE_H
#define SELFTESTS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/profil.h>

#define DEVICE	"/dev/profil"

/* A range of text: [lo, hi). */
struct text {
	uintptr_t lo;
	uintptr_t hi;
};

/* Initializers of requests, for regions or an array; then other fields. */
#define HISTOGRAM_OF(region, n, frequency, ...) {			\
	.size = sizeof(struct profil_histogram),			\
	.regions = (uintptr_t)(region),					\
	.nregions = (n),						\
	.region_size = sizeof(struct profil_region),			\
	.rate = (frequency), __VA_ARGS__				\
}
#define HISTOGRAM(region, ...)	HISTOGRAM_OF(region, 1, __VA_ARGS__)

#define SAMPLES(array, n, bytes, frequency, ...) {			\
	.size = sizeof(struct profil_samples),				\
	.buf = (uintptr_t)(array),					\
	.nsamples = (n),						\
	.width = (bytes),						\
	.rate = (frequency), __VA_ARGS__				\
}

/* Runs any command. */
int device_ioctl(unsigned long cmd, void *arg);

/* These set the structure's size. */
int get_features(struct profil_features *features);
int get_status(struct profil_status *status);
int stop(struct profil_status *status);

/* PROFIL_IOC_HISTOGRAM and PROFIL_IOC_SAMPLES, with all other fields 0. */
int start_regions(const struct profil_region *regions, unsigned int n, unsigned int rate);
int start_region(struct profil_region region, unsigned int rate);
int start_samples(void *buf, uint64_t n, unsigned int width, unsigned int rate);

/* The same with a whole request. On success they store the page's address for page(). */
int start_histogram(struct profil_histogram *request);
int start_array(struct profil_samples *request);

/* The live statistics of the profile that was last started here. */
const volatile struct profil_status *page(void);

/* Every pc into counter 0 of buf. */
struct profil_region everything(void *buf, size_t size, unsigned int width);

/* The pcs of text, all in counter 0 of buf. */
struct profil_region one_counter(void *buf, size_t size, unsigned int width, struct text text);

/* The pcs of text, 1:1: a counter for each width bytes of text. */
struct profil_region one_to_one(void *buf, size_t size, unsigned int width, struct text text);

/* A counter of any alignment and width up to 8, and the sum of n of them. */
uint64_t counter(const void *buf, size_t i, unsigned int width);
uint64_t sum(const void *buf, size_t n, unsigned int width);

/* Of this process: how many have this in their line of /proc/self/maps, and the first line. */
unsigned int mappings(const char *name, char first[512]);

/* This process has a mapping of the device. */
bool has_page(void);

/* Reads at most size - 1 bytes of a file as a string; -1 and errno on error. */
int read_file(const char *path, char *text, size_t size);
int write_file(const char *path, const char *text);

/* What must hold for each profile that has stopped. */
#define CHECK_ACCOUNTS(st)						\
	CHECK_EQ((st)->ticks, (st)->counted + (st)->outside + (st)->dropped)

#define CHECK_NOTHING_LOST(st) do {					\
	CHECK_ACCOUNTS(st);						\
	CHECK_EQ((st)->dropped, 0);					\
	CHECK_EQ((st)->faults, 0);					\
} while (0)

#endif /* SELFTESTS_DEVICE_H */
