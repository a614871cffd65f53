// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters and samples in user memory, written without faulting and without a
 * lock.
 *
 * Called with interrupts off, from the tick or to settle what had to wait, with
 * the process's address space loaded, for addresses that access_ok() accepted.
 * Anybody may write to the same memory at any moment: ticks on other CPUs, also
 * of other processes that map it elsewhere, and the program. So all is done by
 * compare-and-swap on an aligned word, which leaves what is beside the counter
 * alone, and it is tried so often and no more: then it is for the caller to put
 * the update off.
 *
 * A counter that spans words has a part in each. One more is one more in the
 * lowest part; if that wraps, one is carried into the next. In between, the
 * counter reads as less than it is, never as more: whoever does not know of the
 * carry counts as well as if it did, and finds out when it carries itself.
 * - What is read from the top part down, while others count, is not above what
 *   the counter is. So no tick is refused, or stops a profile, too early.
 * - A carry that finds the top part at the limit's was one too many: the
 *   counter then is at its limit, and is set to it.
 * - Where a part below the top ends at less than its largest value at the
 *   limit, ticks that saw the counter before a carry may take it beyond. Each
 *   looks after it has changed anything, and so one of two sees what the other
 *   did, and sets the counter to its limit: it is above it for that long.
 * - A carry that cannot be done at once is handed to the caller, who sees to it
 *   that it is done later: the memory may have gone between the two words.
 * tests/unit/counter_order_test.c runs this code in every order of its accesses.
 *
 * Layer: ground.
 */
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "counter.h"
#include "delay.h"
#include "region.h"

/*
 * Each try fails because another CPU has changed the word since: of as many
 * CPUs in one counter at the same moment, the last one comes through.
 */
#ifndef PROFIL_CAS_TRIES
#define PROFIL_CAS_TRIES	64
#endif

/* Internal verdicts, beyond PROFIL_COUNT_* and errors. */
enum {
	PROFIL_OTHERWISE = PROFIL_COUNT_CARRY + 1, /* it is not what it was */
	PROFIL_WRAPPED,		/* the part starts at 0 again */
	PROFIL_FULL,		/* the part may not become more */
};

/* A counter within one word. */
static __always_inline int
profil_add_in_word(const struct profil_region_compiled *counter, u64 addr)
{
	profil_word __user *word = u64_to_user_ptr(addr & PROFIL_WORD_MASK);
	unsigned int shift = (addr & ~PROFIL_WORD_MASK) * 8;
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

/* The part of a counter that is in one word. */
struct profil_part {
	profil_word __user	*word;
	profil_word		mask;	/* its bits of the word */
	u8			shift;	/* bits of the word below it */
	u8			at;	/* bits of the counter below it */
};

/* Aligned words that 8 bytes at any address may touch. */
#define PROFIL_PARTS	(8 / PROFIL_WORD_BYTES + 1)

struct profil_span {
	const struct profil_region_compiled *counter;
	u64			addr;
	unsigned int		n;
	unsigned int		tries;
	struct profil_part	part[PROFIL_PARTS];
};

static void profil_span_init(struct profil_span *span,
			     const struct profil_region_compiled *counter, u64 addr)
{
	unsigned int at, bytes, skip;

	/* Undisturbed, a carry through all parts takes a try for each. */
	BUILD_BUG_ON(PROFIL_CAS_TRIES < PROFIL_PARTS);
	span->counter = counter;
	span->addr = addr;
	span->n = 0;
	span->tries = PROFIL_CAS_TRIES;
	for (at = 0; at < counter->width; at += bytes) {
		struct profil_part *part = &span->part[span->n++];

		skip = (addr + at) & ~PROFIL_WORD_MASK;
		bytes = min_t(unsigned int, counter->width - at, PROFIL_WORD_BYTES - skip);
		part->word = u64_to_user_ptr((addr + at) & PROFIL_WORD_MASK);
		part->mask = (profil_word)(U64_MAX >> (64 - 8 * bytes)) << (8 * skip);
		part->shift = 8 * skip;
		part->at = 8 * at;
	}
}

static u64 profil_part_max(const struct profil_part *part)
{
	return part->mask >> part->shift;
}

static u64 profil_part_of(const struct profil_part *part, u64 value)
{
	return (value >> part->at) & profil_part_max(part);
}

static int profil_part_load(const struct profil_part *part, u64 *value)
{
	profil_word word;
	int err;

	if (!profil_words_begin(part->word))
		return -EFAULT;
	err = profil_word_load(&word, part->word);
	profil_words_end();
	if (!err)
		*value = (word & part->mask) >> part->shift;
	return err;
}

/*
 * Change a part from @from to @to, whatever is beside it in the word. Return:
 * 0; PROFIL_OTHERWISE if it is not @from; -EAGAIN or -EFAULT. Only 0 has
 * changed anything.
 */
static int profil_part_change(struct profil_span *span, const struct profil_part *part,
			      u64 from, u64 to)
{
	profil_word bits = (profil_word)from << part->shift, old;
	int err;

	if (!profil_words_begin(part->word))
		return -EFAULT;
	err = profil_word_load(&old, part->word);
	if (err)
		goto end;
	do {
		err = -EAGAIN;
		if (!span->tries)
			break;
		span->tries--;
		err = PROFIL_OTHERWISE;
		if ((old & part->mask) != bits)
			break;
		err = profil_word_cas(part->word, &old,
				      (old & ~part->mask) | (profil_word)to << part->shift);
	} while (err == -EAGAIN);
end:
	profil_words_end();
	return err;
}

/* Set a part to @to. Return: 0, -EAGAIN or -EFAULT. */
static int profil_part_set(struct profil_span *span, const struct profil_part *part, u64 to)
{
	u64 old;
	int err;

	do {
		err = profil_part_load(part, &old);
		if (!err && old != to)
			err = profil_part_change(span, part, old, to);
	} while (err == PROFIL_OTHERWISE);
	return err;
}

/* The counter, or less if others are counting in it: from the top part down. */
static int profil_span_load(const struct profil_span *span, u64 *value)
{
	unsigned int i = span->n;
	u64 part;

	*value = 0;
	while (i--) {
		if (profil_part_load(&span->part[i], &part))
			return -EFAULT;
		*value |= part << span->part[i].at;
		/* The parts are loaded in this order: see above. */
		smp_rmb();
	}
	return 0;
}

/* The counter is at its limit: set the parts below @end to that. */
static int profil_span_to_limit(struct profil_span *span, unsigned int end)
{
	const struct profil_part *part;
	int err = 0;

	span->tries = PROFIL_CAS_TRIES;
	for (part = span->part; !err && part < span->part + end; part++)
		err = profil_part_set(span, part, profil_part_of(part, span->counter->limit));
	return err;
}

/* After each change: if it, or another CPU's, went too far, set the limit. */
static void profil_span_check(struct profil_span *span)
{
	u64 value;

	/* Either we see a change that another CPU made, or it sees ours. */
	smp_mb();
	if (!profil_span_load(span, &value) && value > span->counter->limit)
		profil_span_to_limit(span, span->n);
}

/*
 * Add 1 to a part above the lowest. Return: 0, PROFIL_WRAPPED; with nothing
 * changed PROFIL_FULL, -EAGAIN or -EFAULT.
 */
static int profil_part_carry(struct profil_span *span, const struct profil_part *part)
{
	const struct profil_region_compiled *counter = span->counter;
	bool ends = counter->at_limit != PROFIL_LIMIT_WRAP &&
		    part == &span->part[span->n - 1];
	u64 old, max = profil_part_max(part);
	int err;

	do {
		if (profil_part_load(part, &old))
			return -EFAULT;
		if (ends && old >= profil_part_of(part, counter->limit))
			return PROFIL_FULL;
		err = profil_part_change(span, part, old, (old + 1) & max);
	} while (err == PROFIL_OTHERWISE);
	return err ? err : old == max ? PROFIL_WRAPPED : 0;
}

/* Carry 1 into the part @i, and from there up. */
static int profil_span_carry(struct profil_span *span, unsigned int i, u64 *carry)
{
	int err = PROFIL_WRAPPED;
	u64 next;

	span->tries = PROFIL_CAS_TRIES;
	for (; i < span->n; i++) {
		err = profil_delay_carry() ? -EAGAIN
					   : profil_part_carry(span, &span->part[i]);
		if (err != PROFIL_WRAPPED)
			break;
	}
	if (err == PROFIL_FULL) {
		err = profil_span_to_limit(span, i);
		if (!err)
			return profil_counter_next(span->counter, span->counter->limit,
						   &next);
	}
	if (err < 0) {
		*carry = span->addr + span->part[i].at / 8;
		return err;
	}
	profil_span_check(span);
	return PROFIL_COUNT_STORE;
}

/* See that a carry out of the lowest part of @value will find its memory. */
static int profil_span_probe(struct profil_span *span, u64 value)
{
	const struct profil_part *part = span->part;
	int err = 0;
	u64 old;

	while (!err && ++part < span->part + span->n) {
		old = profil_part_of(part, value);
		err = profil_part_change(span, part, old, old);
		if (old != profil_part_max(part))
			break;
	}
	return err;
}

/* One more, if the counter is @value: else PROFIL_OTHERWISE. */
static int profil_span_step(struct profil_span *span, u64 value, u64 *carry)
{
	const struct profil_part *low = &span->part[0];
	u64 max = profil_part_max(low), old = profil_part_of(low, value);
	int err = 0;

	if (old == max)
		err = profil_span_probe(span, value);
	if (!err)
		err = profil_part_change(span, low, old, (old + 1) & max);
	if (err)
		return err;
	if (old == max) {
		err = profil_span_carry(span, 1, carry);
		return err < 0 ? PROFIL_COUNT_CARRY : err;
	}
	profil_span_check(span);
	return PROFIL_COUNT_STORE;
}

/* A counter that spans words. Rare, and needs room on the stack. */
static noinline int
profil_add_in_span(const struct profil_region_compiled *counter, u64 addr, u64 *carry)
{
	struct profil_span span;
	u64 value, next;
	int err;

	profil_span_init(&span, counter, addr);
	do {
		if (profil_span_load(&span, &value))
			return -EFAULT;
		err = profil_counter_next(counter, value, &next);
		if (err != PROFIL_COUNT_STORE)
			return err;
		err = profil_span_step(&span, value, carry);
	} while (err == PROFIL_OTHERWISE);
	return err;
}

/**
 * profil_counter_add_in_word() - count one tick in nearly any counter.
 * @counter: as for profil_counter_add()
 * @addr:    likewise; profil_counter_is_in_word() is true of it
 *
 * Return: as profil_counter_add(), but there is never a carry.
 */
int profil_counter_add_in_word(const struct profil_region_compiled *counter, u64 addr)
{
	int verdict;

	pagefault_disable();
	verdict = profil_add_in_word(counter, addr);
	pagefault_enable();
	return verdict;
}

/**
 * profil_counter_add() - count one tick.
 * @counter: its width and what happens at its limit
 * @addr:    user address of the counter, any alignment
 * @carry:   out: what profil_counter_carry() needs, for PROFIL_COUNT_CARRY only
 *
 * Return: PROFIL_COUNT_*. With nothing changed: -EFAULT, a page is absent or not
 * writable; -EAGAIN, others have written there each time it was tried.
 */
int profil_counter_add(const struct profil_region_compiled *counter, u64 addr, u64 *carry)
{
	int verdict;

	if (profil_counter_is_in_word(counter, addr))
		return profil_counter_add_in_word(counter, addr);
	pagefault_disable();
	verdict = profil_add_in_span(counter, addr, carry);
	pagefault_enable();
	return verdict;
}

/**
 * profil_counter_carry() - end what profil_counter_add() has begun.
 * @counter: its region
 * @carry:   as given by profil_counter_add(), an address inside the counter;
 *           on error, what to call this with the next time
 *
 * Counts no tick. Until it has been called with success, the counter is less
 * than it should be; other ticks may be counted before, and owe a carry too.
 *
 * Return: PROFIL_COUNT_STORE; _SATURATED or _STOP if the counter was at its
 * limit, and is; -EFAULT or -EAGAIN as above.
 */
int profil_counter_carry(const struct profil_region_compiled *counter, u64 *carry)
{
	unsigned int at = profil_counter_offset(counter, *carry), i = 1;
	struct profil_span span;
	int verdict;

	profil_span_init(&span, counter, *carry - at);
	while (i < span.n && span.part[i].at < at * 8)
		i++;
	if (WARN_ON_ONCE(i == span.n || span.part[i].at != at * 8))
		return PROFIL_COUNT_STORE;
	pagefault_disable();
	verdict = profil_span_carry(&span, i, carry);
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
	bool loaded;
	u8 byte;

	profil_tags_ignore();
	/* It asks nmi_uaccess_okay(), which tells whose mm is loaded. */
	loaded = !copy_from_user_nofault(&byte, u64_to_user_ptr(addr), 1);
	profil_tags_compare();
	return loaded;
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
	int err;

	profil_tags_ignore();
	err = copy_to_user_nofault(u64_to_user_ptr(addr), &pc, width);
	profil_tags_compare();
	return err;
}
