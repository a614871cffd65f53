// SPDX-License-Identifier: LGPL-2.1-or-later
/* Random regions, the same in every run, compared with the slow reference. */
#include "region_rounds.h"
#include "unit.h"

/* SplitMix64: the same numbers on every system. */
static u64 any(u64 n)
{
	static u64 seed = 1;
	u64 z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return n ? z % n : z;
}

TEST(maps_and_counters_agree_with_the_reference)
{
	const int rounds = 20000;
	int valid = 0;

	for (int i = 0; i < rounds; i++)
		valid += one_round(MAX_PCS);
	assert_in_range(valid, rounds * 3 / 4, rounds);
}

UNIT_MAIN("region_random", NULL, NULL, NULL, NULL)
