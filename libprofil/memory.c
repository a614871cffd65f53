// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests whether the caller's memory can be read or written, without a signal if it
 * cannot. futex(2) answers: it needs no descriptor, works in a signal handler, and
 * returns EFAULT:
 *
 *   FUTEX_WAKE         of a private futex checks only the address;
 *   FUTEX_CMP_REQUEUE  reads the word and compares it;
 *   FUTEX_WAKE_OP      applies an atomic operation to the word: here, adds 0.
 *
 * All three wake no thread. If a filter refuses futexes, memory counts as good.
 */
#include "memory.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The smallest page of any architecture: one word in each is enough. */
#define PAGE		4096UL
#define WORD		sizeof(uint32_t)
#define END_OF_32_BITS	0xffffe000

#ifndef SYS_futex
#define SYS_futex	SYS_futex_time64
#endif

static bool futex_reaches(int operation, uintptr_t word, int value)
{
	int before = errno;
	uint32_t nobody = 0;
	uintptr_t first = operation == FUTEX_WAKE_OP ? (uintptr_t)&nobody :
						       word;
	long result = syscall(SYS_futex, first, operation | FUTEX_PRIVATE_FLAG,
			      0UL, 0UL, word, value);
	bool reached = result >= 0 || errno != EFAULT;

	errno = before;
	return reached;
}

static bool wraps(uint64_t address, uint64_t size)
{
	return address > UINTPTR_MAX || size - 1 > UINTPTR_MAX - address;
}

/*
 * For a 32-bit process, a 64-bit kernel's futex(2) also accepts addresses above the
 * process's end, where the kernel's system page is.
 */
static bool is_above_32_bits(uint64_t last)
{
	return sizeof(uintptr_t) == 4 && last >= END_OF_32_BITS;
}

static bool is_user(uint64_t address, uint64_t size)
{
	uint64_t last = address + size - 1;

	if (size == 0)
		return true;
	return !wraps(address, size) && !is_above_32_bits(last) &&
	       futex_reaches(FUTEX_WAKE, address & ~(WORD - 1), 0) &&
	       futex_reaches(FUTEX_WAKE, last & ~(WORD - 1), 0);
}

/* The end of user space: the highest page boundary with a user word below it. */
static uint64_t user_end(void)
{
	uintptr_t end = 0, bit = UINTPTR_MAX / 2 + 1;

	for (; bit >= PAGE; bit >>= 1)
		if (futex_reaches(FUTEX_WAKE, (end | bit) - WORD, 0))
			end |= bit;
	return is_above_32_bits(end) ? END_OF_32_BITS : end;
}

uint64_t libprofil_memory_user_bytes(uint64_t address, uint64_t size)
{
	uint64_t end;

	if (is_user(address, size))
		return size;
	end = user_end();
	if (address >= end)
		return 0;
	return size < end - address ? size : end - address;
}

static bool every_page(int operation, uintptr_t address, size_t size, int value)
{
	uintptr_t last = address + size - 1;
	uintptr_t page = address & ~(PAGE - 1);

	if (size == 0)
		return true;
	if (wraps(address, size))
		return false;
	for (;; page += PAGE) {
		/* Not before the object: memcheck reports bytes of nobody. */
		uintptr_t at = page < address ? address & ~(WORD - 1) : page;

		if (!futex_reaches(operation, at, value))
			return false;
		if (last - page < PAGE)
			return true;
	}
}

bool libprofil_memory_is_readable(const void *address, size_t size)
{
	return every_page(FUTEX_CMP_REQUEUE, (uintptr_t)address, size, 0);
}

bool libprofil_memory_is_writable(void *address, size_t size)
{
	return every_page(FUTEX_WAKE_OP, (uintptr_t)address, size,
			  FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_LT, 0));
}
