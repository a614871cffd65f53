/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profil is a common enough name: a program's own members keep theirs. */
#ifdef HAVE_MON_H
#include <mon.h>
#endif
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
struct ops {
	int (*profil)(int fd, const char *name, double share, int flags);
};

static int mine(int fd, const char *name, double share, int flags)
{
	return fd + (name != NULL) + (int)share + flags;
}

int main(void)
{
	struct ops here, *ops = &here;

	ops->profil = mine;
	return ops->profil(1, "name", 2.5, 3) + here.profil(1, "name", 2.5, 3);
}
