/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands around an example that is a piece of a program. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline, unused)) static void function(void)
{
	for (volatile long i = 0; i < 30000000; i++)
		;
}

__attribute__((unused)) static void work(void) { function(); }
