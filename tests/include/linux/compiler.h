/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pure kernel code uses of <linux/compiler.h>, for user space. */
#ifndef _TESTS_LINUX_COMPILER_H
#define _TESTS_LINUX_COMPILER_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))

#define __user

#ifndef noinline
#define noinline	__attribute__((__noinline__))
#endif

/* Tests run one access to memory at a time. */
#define smp_mb()	__asm__ volatile("" ::: "memory")
#define smp_rmb()	smp_mb()

/* The compiler may assume nothing of the variable's value. */
#define OPTIMIZER_HIDE_VAR(var)	__asm__("" : "+r" (var))

#endif /* _TESTS_LINUX_COMPILER_H */
