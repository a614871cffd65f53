/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pure kernel code uses of the headers in linux/, for user space. */
#ifndef _TESTS_KERNEL_H
#define _TESTS_KERNEL_H

#include <stdint.h>

#include <linux/types.h>

/* --- <linux/compiler.h> ----------------------------------------------------------- */

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))

#define __user

#ifndef noinline
#define noinline	__attribute__((__noinline__))
#endif

/* The compiler may assume nothing of the variable's value. */
#define OPTIMIZER_HIDE_VAR(var)	__asm__("" : "+r" (var))

/* --- <linux/bits.h>, bitops.h, minmax.h, math64.h ----------------------------------- */

#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define __ffs(word)	((unsigned long)__builtin_ctzl(word))

#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))

static inline u32 ror32(u32 word, unsigned int shift)
{
	return word >> (shift & 31) | word << (-shift & 31);
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}

/* --- <linux/build_bug.h> -------------------------------------------------------------- */

#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

/* --- <linux/mm.h>, processor.h, and spinlock.h, which tests define ------------------- */

#undef PAGE_SIZE
#define PAGE_SIZE		4096UL
#define offset_in_page(address)	((unsigned long)(address) & (PAGE_SIZE - 1))

#define cpu_relax()	do { } while (0)

typedef int raw_spinlock_t;

#define __RAW_SPIN_LOCK_UNLOCKED(name)	0
#define lockdep_assert_irqs_disabled()	do { } while (0)

int raw_spin_trylock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);

/* --- <linux/nospec.h> ---------------------------------------------------------------- */

/* With sanitizers (of gcc), tests see the calls; the calls of other builds have their usual cost. */
#ifdef __SANITIZE_ADDRESS__
#define NOSPEC_COUNTED
extern unsigned int nospec_calls;
__attribute__((__weak__)) unsigned int nospec_calls;
#define NOSPEC_CALL()	(nospec_calls++)
#else
#define NOSPEC_CALL()	((void)0)
#endif

/* The index, or 0 if it is not below @size, without a branch: for x86-64, as kmod/unwind/ is. */
#define array_index_nospec(index, size)					\
({									\
	u64 nospec_mask, nospec_index = (index);			\
									\
	NOSPEC_CALL();							\
	__asm__ __inline__("cmp %2, %1\n\tsbb %0, %0" : "=r" (nospec_mask) :	\
		"r" (nospec_index), "er" ((u64)(size)) : "cc");		\
	(__typeof__(index))(nospec_index & nospec_mask);		\
})

/* --- <linux/uaccess.h>; tests define the functions ----------------------------------- */

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

#endif /* _TESTS_KERNEL_H */
