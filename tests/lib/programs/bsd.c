/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls: profil_bsd */
#include <sys/types.h>
#include <unistd.h>
static void text(void) { }

int main(void)
{
	static char samples[8];

	return profil(samples, sizeof(samples), (u_long)text, 32768);
}
