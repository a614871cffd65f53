/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls: profil_hpux sprofil_hpux sysconf_hpux */
#include <time.h>
#include <sys/time.h>
#include <sys/profil.h>
#include <unistd.h>
static void text(void) { }

int main(void)
{
	static unsigned short counters[8];
	struct timeval tv;
	struct prof p[1];
	time_t now = time(0);

	p[0].pr_base = counters;
	p[0].pr_size = sizeof(counters);
	p[0].pr_offset = (void *)(size_t)text;
	p[0].pr_scale = 0x8000;
	if (sysconf(_SC_PROFIL_MAX) < 1 || now < 1)
		return 1;
	profil(counters, sizeof(counters), (size_t)text, 0x8000);
	return sprofil(p, 1, &tv, PROF_USHORT) + (PROF_UINT | PROF_UINT64);
}
