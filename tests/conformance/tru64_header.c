// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tru64 UNIX: profil(2) with struct profil_args as the system's header had it. */
#include <sys/resource.h>

#define STARTS(call)	CHECK_QUIET(call)
#include "ticks.h"

static unsigned int a[64], b[64];

TEST(tru64_header_struct_profil_args_has_four_members)
{
	CHECK_EQ(sizeof(struct profil_args), 32);
	CHECK_EQ(sizeof(((struct profil_args *)0)->scale), sizeof(long));
}

TEST(tru64_header_lowpc_is_in_the_first_counter)
{
	struct profil_args args[] = {
		{ b, (void *)(FAR_TEXT + 63), (void *)FAR_TEXT, 0x10000 },
		{ a, (void *)(TEXT + 63), (void *)(TEXT + 16), 0x10000 },
	};

	CHECK_QUIET(profil(args, 2, -1, 0));
	CHECK_HITS(AT(a, TEXT + 15, NOWHERE), AT(a, TEXT + 16, 0), AT(b, FAR_TEXT + 4, 1));
}

TEST(tru64_header_highpc_is_in_the_last_counter)
{
	struct profil_args one = { a, (void *)(TEXT + 63), (void *)TEXT, 0x10000 };

	CHECK_QUIET(profil(&one, 1, -1, 0));
	CHECK_HITS(AT(a, TEXT + 63, 15), AT(a, TEXT + 64, NOWHERE));
}
