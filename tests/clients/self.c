// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Profiles itself with profil(), as it would without us, and says how many
 * samples there were, and how many SIGPROF came.
 */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char __executable_start, etext;

static volatile unsigned long sink;
static volatile sig_atomic_t signals;

static void count(int signal)
{
	(void)signal;
	signals = signals + 1;
}

static __attribute__((noinline)) void busy(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

int main(void)
{
	size_t text = (size_t)(&etext - &__executable_start), i;
	unsigned short *buffer = calloc(text, 2);
	unsigned long samples = 0;
	/* libc declares that it must not be null, though that is how it stops. */
	unsigned short *volatile nothing = NULL;

	signal(SIGPROF, count);
	busy(20000000);
	if (profil(buffer, 2 * text, (size_t)&__executable_start, 0x10000))
		return 1;
	busy(100000000);
	profil(nothing, 0, 0, 0);
	busy(20000000);
	for (i = 0; i < text; i++)
		samples += buffer[i];
	printf("%lu samples %d signals\n", samples, (int)signals);
	return 0;
}
