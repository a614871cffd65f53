// SPDX-License-Identifier: LGPL-2.1-or-later
/* Several systems' calls in one program, by their names in the library. */
#include "ticks.h"

void profil_solaris(unsigned short *, unsigned long, unsigned long, unsigned int);
void profil_hpux(unsigned short *, unsigned long, unsigned long, unsigned int);
int profil_aix(void *, unsigned int, unsigned long, unsigned int);
int profil_bsd(char *, unsigned long, unsigned long, unsigned int);

static unsigned short a[64], b[64];

/* The same pc, counted by each system's rule for the 32768th tick. */
TEST(mixed_calls_have_the_rules_of_their_systems)
{
	a[0] = b[0] = 32767;
	profil_solaris(a, sizeof(a), TEXT, 0x8000);
	spin_until_off(TEXT);
	CHECK_OK(profil_bsd((char *)b, sizeof(b), TEXT, 0x8000));
	spin(TEXT, 1);
	CHECK_EQ(a[0], 32767);
	CHECK_EQ(b[0], 32768);
}

TEST(mixed_calls_the_last_of_any_system_wins)
{
	CHECK_OK(profil_aix(a, sizeof(a), TEXT, 0x8000));
	profil_solaris(b, sizeof(b), TEXT, 0x8000);
	CHECK_HIT(b, TEXT, 0);
	CHECK_OK(profil_aix(a, sizeof(a), TEXT, 0x8000));
	CHECK_HIT(a, TEXT, 0);
	profil_hpux(b, sizeof(b), TEXT, 0x8000);
	CHECK_HIT(b, TEXT, 0);
	CHECK_EQ(SUM(a), 0);
}
