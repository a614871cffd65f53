// SPDX-License-Identifier: LGPL-2.1-or-later
/* libFuzzer target: reads hostile streams of stacks. */
#include <stdlib.h>
#include <string.h>

#include <libprofil.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profil_stacks *stacks = profil_stacks_open(data, size);
	uint64_t sum = 0;
	struct profil_stack stack;
	size_t before = 0;
	uint32_t i;

	if (!stacks)
		return 0;
	while (profil_stacks_next(stacks, &stack) == 1) {
		if (profil_stacks_offset(stacks) <= before ||
		    stack.nframes > PROFIL_STACK_FRAMES)
			abort();
		before = profil_stacks_offset(stacks);
		for (i = 0; i < stack.nframes; i++)
			sum += stack.frame[i];
		if (stack.name)
			sum += strlen(stack.name);
	}
	profil_stacks_close(stacks);
	/* What was read, so that it is. */
	setenv("SUM", sum ? "1" : "0", 1);
	return 0;
}
