/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pure kernel code uses of <linux/spinlock.h>, for user space; tests define it. */
#ifndef _TESTS_LINUX_SPINLOCK_H
#define _TESTS_LINUX_SPINLOCK_H

typedef int raw_spinlock_t;

#define __RAW_SPIN_LOCK_UNLOCKED(name)	0
#define lockdep_assert_irqs_disabled()	do { } while (0)

int raw_spin_trylock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);

#endif /* _TESTS_LINUX_SPINLOCK_H */
