/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pure kernel code uses of <linux/mm.h>, for user space. */
#ifndef _TESTS_LINUX_MM_H
#define _TESTS_LINUX_MM_H

#define PAGE_SIZE		4096UL
#define offset_in_page(address)	((unsigned long)(address) & (PAGE_SIZE - 1))

#endif /* _TESTS_LINUX_MM_H */
