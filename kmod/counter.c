// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters and samples in user memory, written without faulting.
 *
 * Called with interrupts off, from the tick or from the deferral worker, with
 * the process's address space loaded, for addresses that access_ok() accepted.
 * Several CPUs may hit one counter at the same moment, at different addresses
 * if the memory is shared. A counter that lies in one aligned 32-bit word is
 * changed by compare-and-swap on that word, which also leaves its neighbours
 * alone. One that spans words is changed word by word in the same way, under a
 * lock that keeps its other incrementers out.
 */
#include <linux/hash.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/futex.h>

#include "counter.h"
#include "region.h"

/* Locks for counters that span words, hashed by address. */
#define PROFIL_SPAN_LOCK_BITS	6
static raw_spinlock_t span_locks[1 << PROFIL_SPAN_LOCK_BITS] = {
	[0 ... (1 << PROFIL_SPAN_LOCK_BITS) - 1] =
		__RAW_SPIN_LOCK_UNLOCKED(span_locks),
};

/* An LL/SC futex primitive gives up after some tries; try that often more. */
#define PROFIL_CAS_TRIES	16

static __always_inline int profil_cas(u32 __user *word, u32 old, u32 new, u32 *found)
{
	int tries, err;

	for (tries = 0; tries < PROFIL_CAS_TRIES; tries++) {
		err = futex_atomic_cmpxchg_inatomic(found, word, old, new);
		if (err != -EAGAIN)
			break;
	}
	return err ? -EFAULT : 0;
}

/* A counter of 2 or 4 bytes within one word. */
static int profil_add_in_word(const struct profil_region_compiled *counter, u64 addr)
{
	u32 __user *word = u64_to_user_ptr(addr & ~3ULL);
	unsigned int shift = (addr & 3) * 8;
	u32 mask = (U32_MAX >> (32 - 8 * counter->width)) << shift;
	u32 old, found;
	u64 next;
	int verdict;

	if (__get_user(old, word))
		return -EFAULT;
	for (;;) {
		verdict = profil_counter_next(counter, (old & mask) >> shift, &next);
		if (verdict != PROFIL_COUNT_STORE)
			return verdict;
		if (profil_cas(word, old, (old & ~mask) | (u32)next << shift, &found))
			return -EFAULT;
		if (found == old)
			return PROFIL_COUNT_STORE;
		old = found;
	}
}

/* Set the bits of @mask in a word to those of @value. */
static int profil_word_set(u32 __user *word, u32 mask, u32 value)
{
	u32 old, found;

	if (__get_user(old, word))
		return -EFAULT;
	for (;;) {
		if (profil_cas(word, old, (old & ~mask) | value, &found))
			return -EFAULT;
		if (found == old)
			return 0;
		old = found;
	}
}

/* Bytes @at to @at + @width of a span, seen as 32-bit words. */
union profil_span {
	u32	word[3];
	u8	byte[12];
};

/* Change each word of @span in which @new differs from @old; all or none. */
static int profil_span_set(u32 __user *word, const union profil_span *mask,
			   const union profil_span *old,
			   const union profil_span *new)
{
	int i;

	for (i = 2; i >= 0; i--)
		if (new->word[i] != old->word[i] &&
		    profil_word_set(&word[i], mask->word[i], new->word[i]))
			goto undo;
	return 0;
undo:
	while (++i < 3)
		if (new->word[i] != old->word[i])
			profil_word_set(&word[i], mask->word[i], old->word[i]);
	return -EFAULT;
}

/* A counter that does not lie in one word. Rare, and needs room on the stack. */
static noinline int
profil_add_in_span(const struct profil_region_compiled *counter, u64 addr)
{
	u32 __user *word = u64_to_user_ptr(addr & ~3ULL);
	unsigned int width = counter->width, at = addr & 3;
	union profil_span mask = { }, old = { }, new = { };
	raw_spinlock_t *lock = &span_locks[hash_64(addr, PROFIL_SPAN_LOCK_BITS)];
	u64 value = 0, next;
	int verdict;

	memset(&mask.byte[at], 0xff, width);
	raw_spin_lock(lock);
	verdict = -EFAULT;
	if (copy_from_user_nofault(&old.byte[at], u64_to_user_ptr(addr), width))
		goto unlock;
	memcpy(&value, &old.byte[at], width);
	verdict = profil_counter_next(counter, value, &next);
	if (verdict != PROFIL_COUNT_STORE)
		goto unlock;
	memcpy(&new.byte[at], &next, width);
	if (profil_span_set(word, &mask, &old, &new))
		verdict = -EFAULT;
unlock:
	raw_spin_unlock(lock);
	return verdict;
}

/**
 * profil_counter_add() - count one tick.
 * @counter: its width and what happens at its limit
 * @addr:    user address of the counter, any alignment
 *
 * Return: PROFIL_COUNT_*, or -EFAULT with nothing changed.
 */
int profil_counter_add(const struct profil_region_compiled *counter, u64 addr)
{
	int verdict;

	pagefault_disable();
	if (likely((addr & 3) + counter->width <= 4))
		verdict = profil_add_in_word(counter, addr);
	else
		verdict = profil_add_in_span(counter, addr);
	pagefault_enable();
	return verdict;
}

/**
 * profil_mm_loaded() - may user memory be touched at all?
 * @addr: an address that is about to be updated
 *
 * For a tick that has interrupted the kernel, which may have loaded another mm
 * than the task's for a moment (EFI calls, text patching).
 *
 * Return: false if so, or if there is no page at @addr.
 */
bool profil_mm_loaded(u64 addr)
{
	u8 byte;

	/* This is the primitive that knows. */
	return !copy_from_user_nofault(&byte, u64_to_user_ptr(addr), 1);
}

/**
 * profil_sample_store() - store a pc as one element of a sample array.
 * @addr:  user address of the element, any alignment
 * @width: 4 or 8
 * @pc:    what to store
 *
 * Return: 0, or -EFAULT.
 */
int profil_sample_store(u64 addr, u32 width, u64 pc)
{
	return copy_to_user_nofault(u64_to_user_ptr(addr), &pc, width);
}
