/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls: profil_aix */
#include <sys/types.h>
#include <mon.h>
#include <unistd.h>
int main(void)
{
	static HISTCOUNTER counters[8];
	struct prof p[2];

	p[0].p_low = (caddr_t)0x401000;
	p[0].p_high = (caddr_t)0x402000;
	p[0].p_buff = counters;
	p[0].p_bufsize = sizeof(counters);
	p[0].p_scale = (uint)-1;
	p[1].p_high = 0;
	profil(p, -1, 0, 0);
	return profil(counters, sizeof(counters), 0x401000, HIST_SCALE_1_TO_1);
}
