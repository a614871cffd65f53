// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes code, says so in /tmp/perf-PID.map, and runs it: a loop that counts
 * its argument down.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
static const unsigned char code[] = {
	0x48, 0xff, 0xcf,	/* dec %rdi */
	0x75, 0xfb,		/* jne .-3 */
	0xc3,			/* ret */
};
#else
#error "code for this architecture is missing"
#endif

int main(void)
{
	unsigned char *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(unsigned long);
	char path[64];
	FILE *map;

	if (made == MAP_FAILED)
		return 1;
	memcpy(made, code, sizeof(code));
	if (mprotect(made, 4096, PROT_READ | PROT_EXEC))
		return 1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %zx made::while::running\n", (unsigned long)made,
		sizeof(code));
	fclose(map);
	run = (void (*)(unsigned long))(void *)made;
	run(100000000);
	return 0;
}
