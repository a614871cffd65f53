/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Valid requests to the device, and the one way to make any request: what the
 * selftests' device.h has not.
 */
#ifndef STRESS_REQUEST_H
#define STRESS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"

struct profil_histogram histogram_of(const struct profil_region *regions, uint32_t n);
struct profil_samples samples_of(void *buf, uint64_t n, uint32_t width);
/* @status has its size. */
struct profil_thread thread_of(uint64_t page, struct profil_status *status);

/* The device, opened; -1 and errno. */
int open_device(void);

/* 0 or a negative errno. */
int request(int fd, unsigned long command, void *arg);

/* @error, a negative errno or 0, is one that is documented for @command. */
bool documented(unsigned long command, int error);
bool documented_of_mmap(int error);

/* What every status that a call reports must obey, when nothing runs any more. */
bool accounts(const struct profil_status *st);

#endif /* STRESS_REQUEST_H */
