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

static void *load(const char *directory, const char *name)
{
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/%s.so", directory, name);
	handle = dlopen(path, RTLD_NOW);
	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return handle;
}

static void *run_plugin(const char *directory, const char *name, unsigned long n)
{
	void *handle = load(directory, name);
	run *function = (run *)dlsym(handle, name);
	void *where = (void *)function;

	function(n);
	dlclose(handle);
	return where;
}

static void run_found(void *found, const char *name, unsigned long n)
{
	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	((run *)dlsym(found, name))(n);
}

static void run_by_name(const char *directory)
{
	void *handle = load(directory, "finder");
	void *(*find)(void) = (void *(*)(void))dlsym(handle, "find");

	run_found(find(), "by_name", 10000000);
}

int main(int argc, char **argv)
{
	void *first, *second;

	if (argc < 2)
		return 2;
	first = run_plugin(argv[1], "first", 30000000);
	second = run_plugin(argv[1], "second", 20000000);
	run_found(dlopen("usual.so", RTLD_NOW), "usual", 20000000);
	run_by_name(argv[1]);
	puts(first == second ? "same address" : "different addresses");
	return 0;
}
