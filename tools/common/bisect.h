/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a sorted array is divided. */
#ifndef BISECT_H
#define BISECT_H

#include <stddef.h>

/*
 * How many of @n elements are left of the division: those for which @is_left
 * holds, an expression of their index @i that holds for none behind one for which
 * it does not.
 */
#define bisect(i, n, is_left)					\
	({								\
		size_t first_ = 0, end_ = (n);				\
									\
		while (first_ < end_) {					\
			size_t i = first_ + (end_ - first_) / 2;	\
									\
			if (is_left)					\
				first_ = i + 1;				\
			else						\
				end_ = i;				\
		}							\
		first_;							\
	})

#endif
