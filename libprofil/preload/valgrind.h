/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What valgrind has to know. Its tools run programs whose memory they cannot see the
 * kernel write to, and keep notes for every byte that is mapped.
 */
#ifndef PRELOAD_VALGRIND_H
#define PRELOAD_VALGRIND_H

#include <stddef.h>
#include <stdint.h>

/* The instructions are valgrind's sign of a request. On a CPU they do nothing. */
static inline uint64_t valgrind_request(uint64_t code, uint64_t first, uint64_t second)
{
	uint64_t answer = 0;
#ifdef __x86_64__
	uint64_t request[6] = { code, first, second };

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
			 : "+d" (answer) : "a" (request) : "cc", "memory");
#else
	(void)code;
	(void)first;
	(void)second;
#endif
	return answer;
}

/* Does the program run under valgrind? The request RUNNING_ON_VALGRIND. */
static inline int valgrind_is_here(void)
{
	return valgrind_request(0x1001, 0, 0) != 0;
}

/* The memory is defined, whoever wrote it: MAKE_MEM_DEFINED of the tool "MC", memcheck. */
static inline void valgrind_define(const void *memory, size_t size)
{
	valgrind_request('M' << 24 | 'C' << 16 | 2, (uintptr_t)memory, size);
}

#endif
