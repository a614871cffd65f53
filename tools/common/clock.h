/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Milliseconds for waits with an end. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC. */
static inline int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
