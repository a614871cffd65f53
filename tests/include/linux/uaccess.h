/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kernel code uses of <linux/uaccess.h>, for user space; tests define it. */
#ifndef _TESTS_LINUX_UACCESS_H
#define _TESTS_LINUX_UACCESS_H

#include <stdint.h>

#include <linux/types.h>

#define u64_to_user_ptr(address)	((void *)(uintptr_t)(address))

void pagefault_disable(void);
void pagefault_enable(void);
long copy_from_user_nofault(void *to, const void __user *from, size_t bytes);
long copy_to_user_nofault(void __user *to, const void *from, size_t bytes);

#endif /* _TESTS_LINUX_UACCESS_H */
