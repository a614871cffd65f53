/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares numbers, for qsort(3). */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdint.h>

static inline int compare_numbers(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

#endif
