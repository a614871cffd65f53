/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls: profil_irix sprofil_irix */
#include <sys/time.h>
#include <sys/profil.h>
#include <unistd.h>
static void text(void) { }

int main(void)
{
	static unsigned int counters[8];
	static unsigned short shorts[8];
	struct timeval tv;
	struct prof p[PROFIL_MAX];

	p[0].pr_base = counters;
	p[0].pr_size = sizeof(counters);
	p[0].pr_off = (__psunsigned_t)text;
	p[0].pr_scale = 0x10000;
	if (sprofil(p, 1, &tv, PROF_UINT | PROF_FAST) < 0)
		return PROF_FAST_CNT;
	return profil(shorts, sizeof(shorts), (__psunsigned_t)text, 0x8000);
}
