/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Valid requests to a device that is open, and what any request may come to. */
#ifndef STRESS_REQUEST_H
#define STRESS_REQUEST_H

#include "device.h"
#include "run.h"

#define STATUS		((struct profil_status) { .size = sizeof(struct profil_status) })

/* @status has its size. */
static inline struct profil_thread thread_of(uint64_t page, struct profil_status *status)
{
	return (struct profil_thread) {
		.size = sizeof(struct profil_thread), .page = page,
		.status = (uintptr_t)status,
	};
}

/* The device, opened; -1 and errno. */
static inline int open_device(void)
{
	return open(DEVICE, O_RDWR | O_CLOEXEC);
}

/* 0 or a negative errno. */
static inline int request(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg) < 0 ? -errno : 0;
}

/* What every status that a call reports must obey, when nothing runs any more. */
#define MUST_ACCOUNT(st)						\
	MUST_BE((st)->ticks, (st)->counted + (st)->outside + (st)->dropped)

#endif /* STRESS_REQUEST_H */
