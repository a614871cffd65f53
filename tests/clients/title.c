// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * title: sets its title, as daemons do, by writing over its arguments; then
 * forks. With an argument, it becomes itself under that name first.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;

static __attribute__((noinline)) void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	static char title[] = "a/../title: \033[1mwork\n";
	size_t room = strlen(argv[0]);

	if (argc > 1) {
		execl("/proc/self/exe", argv[1], (char *)NULL);
		return 1;
	}
	memset(argv[0], 0, room);
	memcpy(argv[0], title, room < sizeof(title) ? room : sizeof(title) - 1);
	if (fork() == 0) {
		work(20000000);
		exit(0);
	}
	wait(NULL);
	work(20000000);
	return 0;
}
