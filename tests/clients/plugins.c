// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * plugins DIRECTORY: loads one plugin after the other, by path, each of which
 * is unloaded before the next; the dynamic linker puts them at one address.
 * Then has finder.so load by_name.so, which only its own RUNPATH finds, and loads
 * usual.so by its name itself, which LD_LIBRARY_PATH finds.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void run(unsigned long n);

static void *or_end(void *handle)
{
	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return handle;
}

static void *load(const char *directory, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.so", directory, name);
	return or_end(dlopen(path, RTLD_NOW));
}

/* Returns where it is. */
static void *run_in(void *handle, const char *name, unsigned long n)
{
	run *function = (run *)dlsym(or_end(handle), name);

	function(n);
	return (void *)function;
}

static void *run_plugin(const char *directory, const char *name, unsigned long n)
{
	void *handle = load(directory, name), *where = run_in(handle, name, n);

	dlclose(handle);
	return where;
}

int main(int argc, char **argv)
{
	void *first, *second, *(*find)(void);

	if (argc < 2)
		return 2;
	first = run_plugin(argv[1], "first", 30000000);
	second = run_plugin(argv[1], "second", 20000000);
	run_in(dlopen("usual.so", RTLD_NOW), "usual", 20000000);
	find = (void *(*)(void))dlsym(load(argv[1], "finder"), "find");
	run_in(find(), "by_name", 10000000);
	puts(first == second ? "same address" : "different addresses");
	return 0;
}
