// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * forks COUNT: a server with a child for each of COUNT requests. Meanwhile the
 * parent runs other programs by vfork(), with all its descriptors closed. Each says
 * what it does.
 */
#define _DEFAULT_SOURCE

#include "work.h"

WORK(serve)
WORK(accept_request)

extern void profil_phase(const char *name) __attribute__((weak));

static void begin(const char *phase)
{
	if (profil_phase)
		profil_phase(phase);
}

static void run_other(const char *program)
{
	if (vfork() == 0) {
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 4, i;

	for (i = 3; i < 100; i++)
		close(i);
	for (i = 0; i < count; i++) {
		begin("accepting");
		accept_request(6000000);
		if (fork() == 0) {
			begin("serving");
			serve(18000000);
			exit(0);
		}
		if (argc > 2)
			run_other(argv[2]);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
