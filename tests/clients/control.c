// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program that is not built with -pg but profiles itself as gdb and gcl do:
 * monstartup(), moncontrol() around what is not to be counted, _mcleanup().
 */
#include <stdio.h>
#include <sys/gmon.h>
#include <unistd.h>

extern char __executable_start, etext;

/* libc has it, but no header of its own declares it. */
void moncontrol(int mode);

/*
 * A function that shares no counter of gmon.out with another one: gprof would
 * divide that between them.
 */
#define ALONE	__attribute__((noinline, aligned(16)))

static volatile unsigned long sink;

static ALONE void counted(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

static ALONE void uncounted(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink -= i;
}

int main(void)
{
	monstartup((unsigned long)&__executable_start, (unsigned long)&etext);
	for (int i = 0; i < 10; i++) {
		counted(2000000);
		moncontrol(0);
		uncounted(2000000);
		moncontrol(1);
	}
	moncontrol(0);
	_mcleanup();
	return 0;
}
