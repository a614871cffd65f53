/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pure kernel code uses of <linux/bits.h>, for user space. */
#ifndef _TESTS_LINUX_BITS_H
#define _TESTS_LINUX_BITS_H

#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))

#endif /* _TESTS_LINUX_BITS_H */
