/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pure kernel code uses of <linux/nospec.h>, for user space. */
#ifndef _TESTS_LINUX_NOSPEC_H
#define _TESTS_LINUX_NOSPEC_H

#include <linux/types.h>

/* With sanitizers (of gcc), tests see the calls; the calls of other builds have their usual cost. */
#ifdef __SANITIZE_ADDRESS__
#define NOSPEC_COUNTED
extern unsigned int nospec_calls;
__attribute__((__weak__)) unsigned int nospec_calls;
#define NOSPEC_CALL()	(nospec_calls++)
#else
#define NOSPEC_CALL()	((void)0)
#endif

/* The index, or 0 if it is not below @size, without a branch: for x86-64, as kmod/unwind/ is. */
#define array_index_nospec(index, size)					\
({									\
	u64 nospec_mask, nospec_index = (index);			\
									\
	NOSPEC_CALL();							\
	__asm__ __inline__("cmp %2, %1\n\tsbb %0, %0" : "=r" (nospec_mask) :	\
		"r" (nospec_index), "er" ((u64)(size)) : "cc");		\
	(__typeof__(index))(nospec_index & nospec_mask);		\
})

#endif /* _TESTS_LINUX_NOSPEC_H */
