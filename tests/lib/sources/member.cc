/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Likewise in C++. */
#ifdef HAVE_MON_H
#include <mon.h>
#endif
#include <string>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
struct counter {
	int profil(int fd, std::string name, double share, int flags);
};

int counter::profil(int fd, std::string name, double share, int flags)
{
	return fd + (int)name.size() + (int)share + flags;
}

int main()
{
	counter c;

	return c.profil(1, "name", 2.5, 3);
}
