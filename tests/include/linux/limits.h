/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's limits of fixed-width types, for user space. */
#ifndef _TESTS_LINUX_LIMITS_H
#define _TESTS_LINUX_LIMITS_H

#include_next <linux/limits.h>

#define U8_MAX	((u8)~0U)
#define U32_MAX	(~0U)
#define U64_MAX	(~0ULL)

#endif /* _TESTS_LINUX_LIMITS_H */
