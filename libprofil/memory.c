// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether the caller's memory can be read or written, without a signal if it
 * cannot. The answer comes from futex(2), which is everywhere, needs no
 * descriptor, may be called from a signal handler, and returns EFAULT:
 *
 *   FUTEX_WAKE         with private futexes looks at the address and no
 *                      further;
 *   FUTEX_CMP_REQUEUE  reads the word and compares it;
 *   FUTEX_WAKE_OP      applies an atomic operation to the word: here, adds 0.
 *
 * All three are told to wake nobody. Where futexes are refused, memory is
 * taken to be good.
 */
#include "memory.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* No architecture has smaller pages: one word in each of these is enough. */
#define PAGE		4096UL
#define WORD		sizeof(uint32_t)

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

bool libprofil_memory_is_user(uint64_t address, uint64_t size)
{
	uint64_t last = address + size - 1;

	if (size == 0)
		return true;
	return !wraps(address, size) &&
	       futex_reaches(FUTEX_WAKE, address & ~(WORD - 1), 0) &&
	       futex_reaches(FUTEX_WAKE, last & ~(WORD - 1), 0);
}

/*
 * Where user space ends: the highest page boundary with a user word below it.
 * Above a 32-bit process's own end, a 64-bit kernel's futex(2) still takes
 * addresses for good that the process cannot have; the kernel's system page is
 * at that end.
 */
static uint64_t user_end(void)
{
	uintptr_t end = 0, bit = UINTPTR_MAX / 2 + 1;

	for (; bit >= PAGE; bit >>= 1)
		if (futex_reaches(FUTEX_WAKE, (end | bit) - WORD, 0))
			end |= bit;
	if (sizeof(end) == 4 && end > 0xffffe000)
		return 0xffffe000;
	return end;
}

uint64_t libprofil_memory_user_bytes(uint64_t address, uint64_t size)
{
	uint64_t end;

	if (libprofil_memory_is_user(address, size))
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
		if (!futex_reaches(operation, page, value))
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
