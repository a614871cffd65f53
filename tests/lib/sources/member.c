/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names that a program may have itself, as on these systems. In C++, too. */
#ifdef HAVE_MON_H
#include <mon.h>
#else
struct prof {
	int size;
};
#endif
#ifdef __cplusplus
#include <string>
#endif
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
struct ops {
	int (*profil)(int fd, const char *name, double share, int flags);
};

static int sprofil(void) { return 1; }
static int pcsample(void) { return 2; }
static int getsysinfo(void) { return 3; }

static int mine(int fd, const char *name, double share, int flags)
{
	return fd + (name != NULL) + (int)share + flags;
}

#ifdef __cplusplus
struct counter {
	int profil(int fd, std::string name, double share, int flags);
};

int counter::profil(int fd, std::string name, double share, int flags)
{
	return fd + (int)name.size() + (int)share + flags;
}
#endif

int main(void)
{
	struct ops here, *ops = &here;
	int sum = sprofil() + pcsample() + getsysinfo();
#ifdef __cplusplus
	counter c;

	sum += c.profil(1, "name", 2.5, 3);
#endif
	ops->profil = mine;
	return sum + ops->profil(1, "name", 2.5, 3) + here.profil(1, "name", 2.5, 3);
}
