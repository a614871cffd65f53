// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kmod/counter.c on memory that a test can take away, and that others write to
 * between two accesses. WORD_BITS says how wide a compare-and-swap of user memory
 * is.
 */
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/types.h>

#include "unit.h"

#define IS_ENABLED(option)	false

/* In place of kmod/compat.h. */
#define _PROFIL_COMPAT_H
#if WORD_BITS == 64
typedef u64 profil_word;
#else
typedef u32 profil_word;
#endif
#define profil_words_begin(word)	true
#define profil_words_end()		do { } while (0)
#define profil_faults_off()		do { } while (0)
#define profil_faults_on()		do { } while (0)
#define profil_tags_ignore()		do { } while (0)
#define profil_tags_compare()		do { } while (0)

static int profil_word_load(profil_word *value, const profil_word __user *word);
static int profil_word_cas(profil_word __user *word, profil_word *old, profil_word new);

#include "counter.c"

#define MIDDLE	PAGE_SIZE		/* where the second page begins */
#define ANY	12U			/* bytes around it that are looked at */

static u8 memory[2 * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static bool absent[2], read_only[2];
static raw_spinlock_t *held, *last_held;
static unsigned int writes_of_others, swaps, others_hold, lock_tries;

int raw_spin_trylock(raw_spinlock_t *lock)
{
	assert_null(held);
	lock_tries++;
	if (others_hold) {
		others_hold--;
		return 0;
	}
	held = last_held = lock;
	return 1;
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	assert_ptr_equal(held, lock);
	held = NULL;
}

static int access_bytes(const void __user *at, size_t bytes, bool write)
{
	size_t from = (size_t)((const u8 *)at - memory), page;

	assert_true(bytes && from + bytes <= sizeof(memory));
	for (page = from / PAGE_SIZE; page <= (from + bytes - 1) / PAGE_SIZE; page++)
		if (absent[page] || (write && read_only[page]))
			return -EFAULT;
	return 0;
}

static int profil_word_load(profil_word *value, const profil_word __user *word)
{
	assert_int_equal((uintptr_t)word % sizeof(*word), 0);
	memcpy(value, word, sizeof(*value));
	return access_bytes(word, sizeof(*word), false);
}

/* Others write to a byte of the word first, as often as they are to. */
static int profil_word_cas(profil_word __user *word, profil_word *old, profil_word new)
{
	profil_word found;

	if (access_bytes(word, sizeof(*word), true))
		return -EFAULT;
	swaps++;
	if (writes_of_others) {
		writes_of_others--;
		++*(u8 *)word;
	}
	memcpy(&found, word, sizeof(found));
	if (found != *old) {
		*old = found;
		return -EAGAIN;
	}
	memcpy(word, &new, sizeof(new));
	return 0;
}

int read_user(void *to, const void __user *from, size_t bytes)
{
	assert_non_null(held);
	assert_int_equal((uintptr_t)from % bytes, 0);
	memcpy(to, from, bytes);
	return access_bytes(from, bytes, false);
}

int write_user(void __user *to, const void *from, size_t bytes)
{
	assert_int_equal((uintptr_t)to % bytes, 0);
	if (access_bytes(to, bytes, true))
		return -EFAULT;
	memcpy(to, from, bytes);
	return 0;
}

static u64 value_at(size_t at, unsigned int width)
{
	u64 value = 0;

	memcpy(&value, memory + at, width);
	return value;
}

static void set_at(size_t at, unsigned int width, u64 value)
{
	memset(memory, 0x5a, sizeof(memory));
	memcpy(memory + at, &value, width);
	held = last_held = NULL;
}

static int add_at(size_t at, unsigned int width, u64 limit)
{
	u64 max = U64_MAX >> (64 - 8 * width);
	struct profil_region_compiled counter = {
		.width = (u8)width, .limit = limit < max ? limit : max,
		.at_limit = PROFIL_LIMIT_STOP,
	};
	int verdict = profil_counter_add(&counter, (uintptr_t)memory + at);

	assert_null(held);
	return verdict;
}

static void check_neighbours(size_t at, unsigned int width)
{
	for (size_t i = MIDDLE - 2 * ANY; i < MIDDLE + 2 * ANY; i++)
		if (i < at || i >= at + width)
			assert_int_equal(memory[i], 0x5a);
}

/* Every counter near the two pages' end, with values from which it carries. */
static void everywhere(void (*test)(size_t at, unsigned int width, u64 value))
{
	static const u64 values[] = { 0, 0xfe, 0xff, 0xffff, 0x12ffff, U32_MAX,
				      0x1234ffffffffffff };

	for (unsigned int width = 2; width <= 8; width *= 2)
		for (size_t at = MIDDLE - ANY; at < MIDDLE + ANY; at++)
			for (size_t i = 0; i < ARRAY_SIZE(values); i++)
				test(at, width, values[i] & (U64_MAX >> (64 - 8 * width)));
}

static void counts(size_t at, unsigned int width, u64 value)
{
	u64 max = U64_MAX >> (64 - 8 * width);

	set_at(at, width, value);
	assert_int_equal(add_at(at, width, value + 1), value < max ? PROFIL_COUNT_STORE
								   : PROFIL_COUNT_STOP);
	assert_true(value_at(at, width) == (value < max ? value + 1 : value));
	assert_int_equal(add_at(at, width, value ? value - 1 : 0), PROFIL_COUNT_STOP);
	check_neighbours(at, width);
	assert_true(!last_held == (at % sizeof(profil_word) + width <= sizeof(profil_word)));
}

CASE(counter_at_every_offset_counts, everywhere(counts))

static void loses_page(size_t at, unsigned int width, u64 value)
{
	for (unsigned int page = 0; page < 4; page++) {
		bool *gone = page & 1 ? absent : read_only;
		size_t first = page / 2 * PAGE_SIZE;

		if (at + width <= first || at >= first + PAGE_SIZE)
			continue;
		set_at(at, width, value);
		gone[page / 2] = true;
		/* A higher part that does not change need not be writable. */
		if (add_at(at, width, U64_MAX))
			assert_true(value_at(at, width) == value);
		else
			assert_true(value_at(at, width) == value + 1 && gone == read_only);
		gone[page / 2] = false;
		check_neighbours(at, width);
	}
}

CASE(counter_without_its_page_is_left_as_it_was, everywhere(loses_page))

TEST(writes_of_others_to_the_same_word_are_kept)
{
	set_at(MIDDLE + 2, 2, 7);
	writes_of_others = 5;
	assert_int_equal(add_at(MIDDLE + 2, 2, U64_MAX), PROFIL_COUNT_STORE);
	assert_int_equal(memory[MIDDLE], 0x5a + 5);
	assert_int_equal(value_at(MIDDLE + 2, 2), 8);
	/* Also in the counter itself. */
	set_at(MIDDLE, 4, 7);
	writes_of_others = 5;
	assert_int_equal(add_at(MIDDLE, 4, U64_MAX), PROFIL_COUNT_STORE);
	assert_int_equal(value_at(MIDDLE, 4), 7 + 5 + 1);
}

static void stores(size_t at, unsigned int width, u64 value)
{
	set_at(at, width, 0);
	assert_int_equal(profil_counter_store((uintptr_t)memory + at, width, value), 0);
	assert_true(value_at(at, width) == value);
	check_neighbours(at, width);
}

CASE(element_at_every_offset_is_stored, everywhere(stores))

/* Of 8 bytes in two words: unless one carries into the other, no store of others is lost. */
TEST(stores_of_others_to_a_wide_counter_are_kept)
{
	size_t at = MIDDLE + sizeof(profil_word) - 4;

	set_at(at, 8, 7);
	writes_of_others = 3;
	assert_int_equal(add_at(at, 8, U64_MAX), PROFIL_COUNT_STORE);
	/* Their byte is the word's first, which is the counter's if words are of 4 bytes. */
	assert_true(value_at(at, 8) == (sizeof(profil_word) == 4 ? 7 + 3 + 1 : 7 + 1));
	assert_int_equal(memory[MIDDLE], sizeof(profil_word) == 4 ? 11 : 0x5a + 3);
	writes_of_others = 0;
}

TEST(word_that_others_always_change_is_given_up)
{
	set_at(MIDDLE + 2, 2, 7);
	writes_of_others = 1000;
	swaps = 0;
	assert_int_equal(add_at(MIDDLE + 2, 2, U64_MAX), -EAGAIN);
	assert_int_equal(value_at(MIDDLE + 2, 2), 7);
	assert_true(swaps <= 64);
	writes_of_others = 0;
}

TEST(lock_that_others_always_hold_is_given_up)
{
	set_at(MIDDLE - 1, 2, 7);
	others_hold = 5;
	assert_int_equal(add_at(MIDDLE - 1, 2, U64_MAX), PROFIL_COUNT_STORE);
	others_hold = 1000;
	lock_tries = 0;
	assert_int_equal(add_at(MIDDLE - 1, 2, U64_MAX), -EAGAIN);
	assert_int_equal(value_at(MIDDLE - 1, 2), 8);
	assert_true(lock_tries <= 64);
	others_hold = 0;
}

TEST(spanning_counter_has_one_lock_in_all_mappings)
{
	raw_spinlock_t *first;

	set_at(7, 8, 0);
	assert_int_equal(add_at(7, 8, U64_MAX), PROFIL_COUNT_STORE);
	first = last_held;
	set_at(MIDDLE + 7, 8, 0);
	assert_int_equal(add_at(MIDDLE + 7, 8, U64_MAX), PROFIL_COUNT_STORE);
	assert_non_null(first);
	assert_ptr_equal(first, last_held);
}

UNIT_MAIN("counter", NULL, NULL, NULL, NULL)
