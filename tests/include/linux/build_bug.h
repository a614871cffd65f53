/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <linux/build_bug.h> for user space. */
#ifndef _TESTS_LINUX_BUILD_BUG_H
#define _TESTS_LINUX_BUILD_BUG_H

#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

#endif /* _TESTS_LINUX_BUILD_BUG_H */
