// SPDX-License-Identifier: LGPL-2.1-or-later
/* A 32-bit program that ends at once. It needs no library to be built. */
void _start(void);

void _start(void)
{
	__asm__ volatile("int $0x80" : : "a"(1), "b"(0));
	__builtin_unreachable();
}
