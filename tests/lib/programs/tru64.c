/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls: profil_tru64 getsysinfo_tru64 */
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>
/* Arguments have any type: an integer of any width, a pointer of any kind. */
static void text(void) { }

int main(void)
{
	static unsigned int counters[8];
	static unsigned short shorts[8];
	struct profil_args args[PROFIL_MAX];
	struct rusage usage;
	void (*call)(unsigned short *, unsigned int, void *, unsigned int) = profil;
	unsigned int low = 0x401000;
	unsigned long flags = 1;
	int hz, all = -1;

	args[0].buffer = counters;
	args[0].lowpc = (void *)0x401000;
	args[0].highpc = (void *)0x40101f;
	args[0].scale = 0x10000;
	profil(args, 1, -1, flags);
	profil(args, 1, -1L, PROFIL_FLAGS_ALL_THREADS);
	profil(args, 1, all, 0);
	profil(args, 1, (void *)-1, 0);
	profil(shorts, sizeof(shorts), text, 0x8000);
	profil(shorts, sizeof(shorts), low, 0x8000u);
	profil(shorts, sizeof(shorts), shorts, 0x8000);
	call(shorts, sizeof(shorts), 0, PROFIL_SCALE_TOTAL);
	profil(0, 0, 0, 0);
	return getsysinfo(GSI_CLK_TCK, (char *)&hz, sizeof(hz), 0, 0) +
	       getrusage(RUSAGE_SELF, &usage);
}
