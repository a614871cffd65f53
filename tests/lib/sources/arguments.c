/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments of Tru64's have any type: that of its own prototype, an integer of any
 * width, a pointer of any kind.
 */
#include <sys/resource.h>
#include <stddef.h>
static int text(int n)
{
	return n;
}

int main(void)
{
	static unsigned short shorts[8];
	struct profil_args args[1] = { { NULL, NULL, NULL, 0 } };
	void (*call)(unsigned short *, unsigned int, void *, unsigned int) =
		profil;
	unsigned int low = 0x401000;
	unsigned long flags = 1;
	int all = -1;

	profil(args, 1, -1, flags);
	profil(args, 1, -1L, PROFIL_FLAGS_ALL_THREADS);
	profil(args, 1, all, 0);
	profil(args, 1, (void *)-1, 0);
	profil(shorts, sizeof(shorts), low, 0x8000u);
	profil(shorts, sizeof(shorts), (unsigned long)text, 0x8000);
	profil(shorts, sizeof(shorts), shorts, 0x8000);
	profil(NULL, 0, NULL, 0);
	call(shorts, sizeof(shorts), 0, PROFIL_SCALE_TOTAL);
	return 0;
}
