// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * late LIBRARY FILE: computes, and when FILE is there, loads LIBRARY and computes in
 * that. LIBRARY is this file, too.
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
	unsigned long i;

	for (i = 0; i < 100000; i++)
		sum += i * sum;
	return sum;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	unsigned long (*work)(void) = WORK;
	void *library = NULL;

	while (argc > 2) {
		work();
		if (library || access(argv[2], F_OK) < 0)
			continue;
		library = dlopen(argv[1], RTLD_NOW);
		*(void **)&work = library ? dlsym(library, "work_of_library") : NULL;
		if (!work)
			return 1;
	}
	return 2;
}
#endif
