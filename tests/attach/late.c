// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * late FILE: computes, and when FILE is there, loads late.so, writes more than a pipe has
 * room for, and computes in late.so, which is made of this file, too.
 */
#include <dlfcn.h>
#include <unistd.h>

#ifdef LIBRARY
#define WORK	work_of_library
#else
#define WORK	work_of_program
#endif

unsigned long WORK(void);

__attribute__((noipa)) unsigned long WORK(void)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 100000; i++)
		sum += i * sum;
	return sum;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	unsigned long (*work)(void) = WORK;
	static char much[100000];
	void *library = NULL;

	while (argc > 1) {
		work();
		if (library || access(argv[1], F_OK) < 0)
			continue;
		library = dlopen("late.so", RTLD_NOW);
		*(void **)&work = library ? dlsym(library, "work_of_library") : NULL;
		if (!work || write(STDERR_FILENO, much, sizeof(much)) != sizeof(much))
			return 1;
	}
	return 2;
}
#endif
