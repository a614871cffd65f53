// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profil.h"

int libprofil_profil_in(struct scope scope, enum profil_dialect tag,
			const void *buf, size_t bufsiz, uintptr_t offset,
			unsigned int scale)
{
	struct range range = {
		.buf	= (uintptr_t)buf,
		.size	= bufsiz,
		.offset	= offset,
		.scale	= scale,
		.width	= sizeof(unsigned short),
	};
	struct regions regions;

	/* One region needs no mapping: open cannot fail, and close is not needed. */
	(void)libprofil_regions_open(&regions, tag, 1);
	regions.scope = scope;
	if (libprofil_regions_add(&regions, &range) < 0)
		return -1;
	return libprofil_regions_start(&regions, PROFIL_RATE_CLOCK);
}

int libprofil_profil(enum profil_dialect tag, const void *buf, size_t bufsiz,
		     uintptr_t offset, unsigned int scale)
{
	return libprofil_profil_in((struct scope){ 0, 0 }, tag, buf, bufsiz,
				   offset, scale);
}
