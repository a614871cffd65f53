// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters and samples in user memory, written without faulting.
 *
 * Called with interrupts off, from the tick or to apply a deferred update, with
 * the process's address space loaded, for addresses that access_ok() accepted.
 * Ticks on other CPUs, other processes, and the program itself may write to the
 * same memory at any moment.
 *
 * A counter within one aligned word is changed by compare-and-swap, which leaves
 * its neighbours in the word alone. A counter that spans words is changed under a
 * lock: its lower part by compare-and-swap, or with a carry all of it by plain
 * stores.
 */
#include <linux/build_bug.h>
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/processor.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "counter.h"

/* Bytes of a compare-and-swap. */
#define WORD_BYTES	sizeof(profil_word)
#define WORD_MASK	(~(u64)(WORD_BYTES - 1))

/*
 * Locks of the counters that span words, chosen by the counter's offset in its
 * page, which is the same in each mapping of the page.
 */
#define SPAN_LOCKS	64
static raw_spinlock_t span_locks[SPAN_LOCKS] = {
	[0 ... SPAN_LOCKS - 1] = __RAW_SPIN_LOCK_UNLOCKED(span_locks)
};

static __always_inline int add_in_word(const struct profil_region_compiled *counter,
				       u64 addr)
{
	profil_word __user *word = u64_to_user_ptr(addr & WORD_MASK);
	unsigned int shift = (addr & ~WORD_MASK) * 8;
	profil_word mask = (profil_word)(U64_MAX >> (64 - 8 * counter->width)) << shift;
	int tries = PROFIL_CAS_TRIES, err;
	profil_word old;
	u64 next;

	if (!profil_words_begin(word))
		return -EFAULT;
	err = profil_word_load(&old, word);
	if (unlikely(err))
		goto end;
	do {
		err = profil_counter_next(counter, (old & mask) >> shift, &next);
		if (err != PROFIL_COUNT_STORE)
			break;
		err = profil_word_cas(word, &old, (old & ~mask) | (profil_word)next << shift);
	} while (unlikely(err == -EAGAIN) && --tries);
end:
	profil_words_end();
	return err;
}

/*
 * Not copy_from_user_nofault() and copy_to_user_nofault(): they check the kernel's side of
 * the copy, for which some kernels take a lock that the tick may have interrupted.
 */
static int load(u64 *value, u64 addr, unsigned int bytes)
{
	const u8 __user *at = u64_to_user_ptr(addr);
	int err = -EFAULT;
	unsigned int i;
	u64 all = 0;
	u8 byte;

	profil_faults_off();
	profil_tags_ignore();
	if (!user_read_access_begin(at, bytes))
		goto compare;
	for (i = 0; i < bytes; i++) {
		unsafe_get_user(byte, at + i, end);
		all |= (u64)byte << (8 * i);
	}
	*value = all;
	err = 0;
end:
	user_read_access_end();
compare:
	profil_tags_compare();
	profil_faults_on();
	return err;
}

static __always_inline bool is_one_store(u64 addr, u32 width)
{
	return IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) || !(addr & (width - 1));
}

/*
 * Store an element of a sample array, or a part of a counter: @width bytes of @value, at most
 * 8, at a user address of any alignment. 0, or -EFAULT; then some bytes may have been stored.
 */
int profil_counter_store(u64 addr, u32 width, u64 value)
{
	u8 __user *at = u64_to_user_ptr(addr);
	int err = -EFAULT;

	profil_faults_off();
	profil_tags_ignore();
	if (!user_write_access_begin(at, width))
		goto compare;
	if (width == 8 && is_one_store(addr, 8)) {
		unsafe_put_user(value, (u64 __user *)at, end);
	} else if (width == 4 && is_one_store(addr, 4)) {
		unsafe_put_user((u32)value, (u32 __user *)at, end);
	} else {
		for (; width; width--, value >>= 8)
			unsafe_put_user((u8)value, at++, end);
	}
	err = 0;
end:
	user_write_access_end();
compare:
	profil_tags_compare();
	profil_faults_on();
	return err;
}

/* Change a counter that may span two pages from @old to @new, or not at all. */
static int store_span(u64 addr, u64 old, u64 new, unsigned int width)
{
	unsigned int low = min_t(unsigned long, width, PAGE_SIZE - offset_in_page(addr));
	bool carry = low < width && old >> (8 * low) != new >> (8 * low);

	if (carry && profil_counter_store(addr + low, width - low, new >> (8 * low)))
		return -EFAULT;
	if (!profil_counter_store(addr, low, new))
		return 0;
	if (carry)
		profil_counter_store(addr + low, width - low, old >> (8 * low));
	return -EFAULT;
}

/*
 * Change the part below the counter's first word boundary from @old to @new by
 * compare-and-swap. The other bytes are equal in @old and @new. -EAGAIN: the part is
 * no longer that of @old.
 */
static int swap_low(u64 addr, u64 old, u64 new, unsigned int low)
{
	profil_word __user *word = u64_to_user_ptr(addr & WORD_MASK);
	unsigned int shift = (addr & ~WORD_MASK) * 8;
	profil_word mask = (profil_word)(U64_MAX >> (64 - 8 * low)) << shift, was;
	int err = -EFAULT;

	profil_faults_off();
	if (!profil_words_begin(word))
		goto enable;
	err = profil_word_load(&was, word);
	if (!err && (was & mask) != ((profil_word)old << shift & mask))
		err = -EAGAIN;
	if (!err)
		err = profil_word_cas(word, &was,
				      (was & ~mask) | ((profil_word)new << shift & mask));
	profil_words_end();
enable:
	profil_faults_on();
	return err;
}

/* Not inline: it is rare, and needs stack space. */
static noinline int add_in_span(const struct profil_region_compiled *counter, u64 addr)
{
	raw_spinlock_t *lock = &span_locks[addr / WORD_BYTES % SPAN_LOCKS];
	unsigned int low = WORD_BYTES - (addr & ~WORD_MASK);
	int tries = PROFIL_CAS_TRIES, lock_tries = PROFIL_CAS_TRIES;
	int verdict, err;
	u64 old, next;

	lockdep_assert_irqs_disabled();
	BUILD_BUG_ON(PAGE_SIZE % (SPAN_LOCKS * WORD_BYTES));
	/* Other users' ticks take it too: do not queue behind those of all CPUs. */
	while (!raw_spin_trylock(lock)) {
		if (!--lock_tries)
			return -EAGAIN;
		cpu_relax();
	}
	do {
		err = load(&old, addr, counter->width);
		if (err)
			break;
		verdict = profil_counter_next(counter, old, &next);
		if (verdict != PROFIL_COUNT_STORE)
			break;
		if (!((old ^ next) >> (8 * low)))
			err = swap_low(addr, old, next, low);
		else
			err = store_span(addr, old, next, counter->width);
	} while (err == -EAGAIN && --tries);
	verdict = err ?: verdict;
	raw_spin_unlock(lock);
	return verdict;
}

/*
 * Count one tick at the user address of a counter, of any alignment. PROFIL_COUNT_*. If
 * nothing changed: -EFAULT, a page is absent or not writable; -EAGAIN, another CPU changed
 * the word, or held the lock, at each try.
 */
int profil_counter_add(const struct profil_region_compiled *counter, u64 addr)
{
	int verdict;

	if (unlikely((addr & ~WORD_MASK) + counter->width > WORD_BYTES))
		return add_in_span(counter, addr);
	profil_faults_off();
	verdict = add_in_word(counter, addr);
	profil_faults_on();
	return verdict;
}
