/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls: profil_solaris pcsample */
#include <pcsample.h>
#include <unistd.h>
static void text(void) { }

int main(void)
{
	static unsigned short counters[8];
	static uintptr_t samples[8];
	void (*call)(unsigned short *, size_t, unsigned long, unsigned int) = profil;

	call(counters, sizeof(counters), (unsigned long)text, 0x8000);
	profil(counters, sizeof(counters), 0, 0);
	return (int)pcsample(samples, 8L);
}
