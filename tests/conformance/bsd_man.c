// SPDX-License-Identifier: LGPL-2.1-or-later
/* BSD: profil(2) as its man page has it about buffers that are not there. */
#define LIBPROFIL_BSD_MAN
#include <sys/types.h>
#include <errno.h>
#include <unistd.h>

#include "ticks.h"

static unsigned short bins[256];

TEST(bsd_profil_illegal_buffer_is_minus_1_and_efault)
{
	char *constant = pages(PAGE);

	CHECK_FAILS(profil(NOT_MAPPED, 64, TEXT, 65536), EFAULT);
	CHECK_FAILS(profil(KERNEL_ADDRESS, 64, TEXT, 65536), EFAULT);
	protect(constant, PAGE);
	CHECK_FAILS(profil(constant, 64, TEXT, 65536), EFAULT);
}

TEST(bsd_profil_illegal_buffer_terminates_profiling)
{
	CHECK_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	spin(TEXT, 1);
	CHECK_FAILS(profil(NOT_MAPPED, 64, TEXT, 65536), EFAULT);
	CHECK(!profile_is_on());
	spend(TEXT, IDLE_MS);
	CHECK_EQ(bins[0], 1);
}

TEST(bsd_profil_illegal_buffer_does_not_matter_with_scale_0)
{
	CHECK_OK(profil(NOT_MAPPED, 64, TEXT, 0));
	CHECK_OK(profil(NULL, 0, 0, 0));
}

TEST(bsd_profil_odd_pcs_are_halved_before_they_are_scaled)
{
	CHECK_OK(profil((char *)bins, sizeof(bins), TEXT, 0xffff));
	CHECK_HIT(bins, TEXT + 3, 0);
	CHECK_OK(profil((char *)bins, sizeof(bins), TEXT, 65536));
	CHECK_HIT(bins, TEXT + 3, 1);
}
