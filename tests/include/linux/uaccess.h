/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What kernel code uses of <linux/uaccess.h>, for user space; tests define it. */
#ifndef _TESTS_LINUX_UACCESS_H
#define _TESTS_LINUX_UACCESS_H

#include <stdint.h>

#include <linux/types.h>

#define u64_to_user_ptr(address)	((void *)(uintptr_t)(address))

int read_user(void *to, const void __user *from, size_t bytes);
int write_user(void __user *to, const void *from, size_t bytes);

#define user_read_access_begin(at, bytes)	true
#define user_read_access_end()			do { } while (0)
#define user_write_access_begin(at, bytes)	true
#define user_write_access_end()			do { } while (0)

#define unsafe_get_user(value, at, label) do {				\
	if (read_user(&(value), at, sizeof(*(at))))			\
		goto label;						\
} while (0)

#define unsafe_put_user(value, at, label) do {				\
	__typeof__(*(at)) value_ = (value);				\
	if (write_user(at, &value_, sizeof(value_)))			\
		goto label;						\
} while (0)

#endif /* _TESTS_LINUX_UACCESS_H */
