/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pure kernel code uses of <linux/bitops.h>, for user space. */
#ifndef _TESTS_LINUX_BITOPS_H
#define _TESTS_LINUX_BITOPS_H

#include <linux/types.h>

#define __ffs(word)	((unsigned long)__builtin_ctzl(word))

static inline u32 ror32(u32 word, unsigned int shift)
{
	return word >> (shift & 31) | word << (-shift & 31);
}

#endif /* _TESTS_LINUX_BITOPS_H */
