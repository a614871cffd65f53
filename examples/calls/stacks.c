// SPDX-License-Identifier: LGPL-2.1-or-later
/* profil_start_stacks(): finds a function's callers from the call stack of each tick. */
#include <libprofil.h>
#include <stdio.h>
#include <time.h>

#define FUNCTION(name)	__attribute__((noinline, section(#name "_text"))) static
#define IS_IN(name, pc)	((pc) >= (uintptr_t)__start_ ## name ## _text && \
			 (pc) < (uintptr_t)__stop_ ## name ## _text)

/* The linker defines these for a section whose name is a C identifier. */
extern const char __start_often_text[], __stop_often_text[];
extern const char __start_seldom_text[], __stop_seldom_text[];

static volatile unsigned long sum;

FUNCTION(work) void work(int rounds)
{
	for (int i = 0; i < rounds; i++)
		sum += 3;
}

FUNCTION(often) void often(void)	{ work(300000); sum++; }
FUNCTION(seldom) void seldom(void)	{ work(100000); sum++; }

int main(void)
{
	static uint64_t samples[10000];
	static unsigned char stream[1 << 20];
	struct profil_samples request = {
		.size = sizeof(request), .rate = PROFIL_RATE_FAST,
		.buf = (uintptr_t)samples, .nsamples = 10000, .width = 8,
		.stacks = (uintptr_t)stream, .stacks_size = sizeof(stream),
	};
	struct profil_status status = { .size = sizeof(status) };
	struct profil_stacks *stacks;
	struct profil_stack stack;
	unsigned long by_often = 0, by_seldom = 0, i;

	if (profil_start_stacks(&request) < 0)
		return perror("profil_start_stacks"), 1;
	while (clock() < CLOCKS_PER_SEC) {
		often();
		seldom();
	}
	profil_stop_stacks(&status);

	stacks = profil_stacks_open(stream, status.stack_bytes);
	while (stacks && profil_stacks_next(stacks, &stack) > 0)
		for (i = 1; i < stack.nframes; i++)
			if (IS_IN(often, stack.frame[i]))
				by_often += stack.count;
			else if (IS_IN(seldom, stack.frame[i]))
				by_seldom += stack.count;
	profil_stacks_close(stacks);

	printf("%lu ticks: in work() %lu for often() and %lu for seldom()\n",
	       (unsigned long)status.ticks, by_often, by_seldom);
	return 0;
}
