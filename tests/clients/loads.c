// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * loads DIRECTORY: a program that has stacks in its own memory and loads a plugin
 * of DIRECTORY while it is profiled. Prints how many ticks there are in the plugin,
 * and of how many all callers are known: before the kernel is told of it, and
 * after.
 */
#include <dlfcn.h>
#include <libprofil.h>
#include <stdio.h>
#include <stdlib.h>

#define TICKS	40
#define SAMPLES	10000
#define BYTES	(1 << 20)

typedef void run(unsigned long n);

static uint64_t ticks_now(void)
{
	struct profil_status status = { .size = sizeof(status) };

	return profil_get_status(&status) < 0 ? UINT64_MAX : status.ticks;
}

static void run_for_ticks(run *function)
{
	uint64_t end = ticks_now() + TICKS;

	while (ticks_now() < end)
		function(1000000);
}

/* Of the next records, up to byte @until, those whose time is in @function. */
static void print(const char *what, struct profil_stacks *stacks, uint64_t until,
		  uintptr_t function)
{
	struct profil_stack stack;
	uint64_t ticks = 0, whole = 0;

	while (profil_stacks_offset(stacks) < until &&
	       profil_stacks_next(stacks, &stack) > 0) {
		if (stack.flags & PROFIL_STACK_NAME ||
		    stack.frame[0] - function > 4096)
			continue;
		ticks += stack.count;
		if (!stack.end && !(stack.flags & PROFIL_STACK_GUESSED))
			whole += stack.count;
	}
	printf("%s: %lu ticks, %lu whole\n", what, (unsigned long)ticks,
	       (unsigned long)whole);
}

int main(int argc, char **argv)
{
	static uint64_t samples[SAMPLES];
	static unsigned char stream[BYTES];
	struct profil_samples request = {
		.size = sizeof(request), .rate = PROFIL_RATE_FAST,
		.buf = (uintptr_t)samples, .nsamples = SAMPLES, .width = 8,
		.stacks = (uintptr_t)stream, .stacks_size = BYTES,
	};
	struct profil_status untold = { .size = sizeof(untold) };
	struct profil_status status = { .size = sizeof(status) };
	struct profil_stacks *stacks;
	char path[4096];
	void *plugin;
	run *function;

	snprintf(path, sizeof(path), "%s/first.so", argc > 1 ? argv[1] : ".");
	if (profil_start_stacks(&request) < 0 ||
	    !(plugin = dlopen(path, RTLD_NOW)))
		return 1;
	function = (run *)dlsym(plugin, "first");
	run_for_ticks(function);
	if (profil_get_status(&untold) < 0 || profil_update_objects() < 0)
		return 1;
	run_for_ticks(function);
	if (profil_stop_stacks(&status) < 0)
		return 1;
	stacks = profil_stacks_open(stream, status.stack_bytes);
	print("untold", stacks, untold.stack_bytes, (uintptr_t)function);
	print("told", stacks, status.stack_bytes, (uintptr_t)function);
	profil_stacks_close(stacks);
	return 0;
}
