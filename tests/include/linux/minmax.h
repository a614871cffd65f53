/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kernel code uses of <linux/minmax.h>, for user space. */
#ifndef _TESTS_LINUX_MINMAX_H
#define _TESTS_LINUX_MINMAX_H

#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))

#endif /* _TESTS_LINUX_MINMAX_H */
