/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <linux/sort.h> for user space; swap is not used, as a NULL allows. */
#ifndef _TESTS_LINUX_SORT_H
#define _TESTS_LINUX_SORT_H

#include <stdlib.h>

static inline void sort(void *base, size_t num, size_t size,
			int (*cmp)(const void *, const void *),
			void (*swap)(void *, void *, int))
{
	(void)swap;
	qsort(base, num, size, cmp);
}

#endif /* _TESTS_LINUX_SORT_H */
