/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binary search. */
#ifndef BISECT_H
#define BISECT_H

#include <stddef.h>

/*
 * The number of leading elements, of @n, for which the expression @is_left of index
 * @i is true. It must be false for all elements after them.
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
