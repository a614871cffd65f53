/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls: profil_tru64 getsysinfo_tru64 */
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>
static void text(void)
{
}

int main(void)
{
	static unsigned int counters[8];
	static unsigned short shorts[8];
	struct profil_args args[PROFIL_MAX];
	struct rusage usage;
	int hz;

	args[0].buffer = counters;
	args[0].lowpc = (void *)0x401000;
	args[0].highpc = (void *)0x40101f;
	args[0].scale = 0x10000;
	profil(args, 1, -1, 0);
	profil(shorts, sizeof(shorts), text, 0x8000);
	profil(0, 0, 0, 0);
	return getsysinfo(GSI_CLK_TCK, (char *)&hz, sizeof(hz), 0, 0) +
	       getrusage(RUSAGE_SELF, &usage);
}
