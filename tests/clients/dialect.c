// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dialect: a Solaris program, which has its own profile for a while, forks
 * meanwhile, and says how many ticks the parent and the child had in it.
 */
#include "work.h"

WORK(before)
WORK(during)
WORK(after)

static unsigned short counter[1];

static void child(void)
{
	counter[0] = 0;
	during(60000000);
	profil(counter, sizeof(counter), 0, 0);
	after(20000000);
	printf("child: %d\n", counter[0]);
	fflush(stdout);
	_exit(0);
}

int main(void)
{
	before(30000000);
	profil(counter, sizeof(counter), 0, 2);
	during(60000000);
	if (fork() == 0)
		child();
	wait(NULL);
	profil(counter, sizeof(counter), 0, 0);
	printf("parent: %d\n", counter[0]);
	after(30000000);
	return 0;
}
