/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The default dialect, and all that <libprofil.h> has. */
#include <libprofil.h>
#include <sys/profil.h>
#include <unistd.h>
int main(void)
{
	static unsigned short counters[8];
	struct prof p = { counters, sizeof(counters), 0, 0x8000 };
	struct profil_status status;
	struct profil_features features;
	struct profil_samples samples;
	struct profil_stack stack;
	struct profil_stacks *stacks = profil_stacks_open(counters, 0);

	samples.size = sizeof(samples);
	if (profil_start_stacks(&samples) < 0 || profil_update_objects() < 0 ||
	    profil_stop_stacks(&status) < 0 || profil_stacks_next(stacks, &stack) < 0)
		return (int)profil_stacks_offset(stacks);
	profil_stacks_close(stacks);
	if (profil(counters, sizeof(counters), 0, 0x8000) < 0)
		return 1;
	status.size = sizeof(status);
	features.size = sizeof(features);
	return sprofil(&p, 1, 0, PROF_USHORT) + profil_get_status(&status) +
	       profil_get_features(&features);
}
