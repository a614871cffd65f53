/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kernel code uses of <linux/bug.h>, for user space: here it is fatal. */
#ifndef _TESTS_LINUX_BUG_H
#define _TESTS_LINUX_BUG_H

#include <stdlib.h>

#define WARN_ON_ONCE(condition)	((condition) ? (abort(), 1) : 0)

#endif /* _TESTS_LINUX_BUG_H */
