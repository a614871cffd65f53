// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of dialects, and the one place that reads its rows. Pure. */
#include "dialect.h"

#include <errno.h>

#define ANY_SCALE	UINT32_MAX

/* Systems had a parameter for it; 100 was its default. */
#ifndef LIBPROFIL_PROFIL_MAX
#define LIBPROFIL_PROFIL_MAX	100
#endif

static const struct dialect dialects[] = {
	[PROFIL_DIALECT_GLIBC_PROFIL] = {
		.index		= PROFIL_INDEX_ELEMENT,
		.at_limit	= PROFIL_LIMIT_WRAP,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= ANY_SCALE,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_COUNTER_0,
		.bad_buffer	= BAD_BUFFER_FAILS,
	},
	[PROFIL_DIALECT_GLIBC_SPROFIL] = {
		.index		= PROFIL_INDEX_ELEMENT,
		.at_limit	= PROFIL_LIMIT_SATURATE,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= ANY_SCALE,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_OVERFLOW_BIN,
		.bad_buffer	= BAD_BUFFER_FAILS,
	},
	[PROFIL_DIALECT_SOLARIS] = {
		.index		= PROFIL_INDEX_BYTE_DOWN,
		.at_limit	= PROFIL_LIMIT_STOP,
		.limit		= 32767,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= ANY_SCALE,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_COUNTER_0,
		.bad_buffer	= BAD_BUFFER_IS_OFF,
	},
	[PROFIL_DIALECT_BSD] = {
		.index		= PROFIL_INDEX_BYTE_DOWN,
		.at_limit	= PROFIL_LIMIT_WRAP,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= ANY_SCALE,
		.scale_max	= 0x10000,
		.scale_off	= 0,
		.scale2		= SCALE2_ORDINARY,
		.bad_buffer	= BAD_BUFFER_IS_OFF,
	},
	[PROFIL_DIALECT_BSD_MAN] = {
		.index		= PROFIL_INDEX_ELEMENT,
		.at_limit	= PROFIL_LIMIT_WRAP,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= ANY_SCALE,
		.scale_max	= 0x10000,
		.scale_off	= 0,
		.scale2		= SCALE2_ORDINARY,
		.bad_buffer	= BAD_BUFFER_IS_OFF,
	},
	[PROFIL_DIALECT_IRIX] = {
		.index		= PROFIL_INDEX_BYTE_DOWN,
		.at_limit	= PROFIL_LIMIT_SATURATE,
		.on_fault	= PROFIL_FAULT_STOP_REGION,
		.scale_mask	= ANY_SCALE,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_OVERFLOW_BIN,
		.bad_buffer	= BAD_BUFFER_IS_OFF,
		.min_ranges	= 1,
		.max_ranges	= LIBPROFIL_PROFIL_MAX,
	},
	[PROFIL_DIALECT_HPUX] = {
		.index		= PROFIL_INDEX_BYTE_DOWN,
		.at_limit	= PROFIL_LIMIT_SATURATE,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= ANY_SCALE,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_OVERFLOW_BIN,
		.bad_buffer	= BAD_BUFFER_IS_OFF,
		.max_ranges	= LIBPROFIL_PROFIL_MAX,
	},
	[PROFIL_DIALECT_TRU64] = {
		.index		= PROFIL_INDEX_BYTE_DOWN,
		.at_limit	= PROFIL_LIMIT_SATURATE,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= ANY_SCALE,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_COUNTER_0,
		.bad_buffer	= BAD_BUFFER_IS_OFF,
	},
	[PROFIL_DIALECT_TRU64_RANGES] = {
		.index		= PROFIL_INDEX_BYTE_DOWN,
		.at_limit	= PROFIL_LIMIT_SATURATE,
		.on_fault	= PROFIL_FAULT_STOP_REGION,
		.scale_mask	= ANY_SCALE,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_COUNTER_0,
		.bad_buffer	= BAD_BUFFER_IS_OFF,
		.max_ranges	= 64,
	},
	[PROFIL_DIALECT_AIX] = {
		.index		= PROFIL_INDEX_BYTE_UP,
		.at_limit	= PROFIL_LIMIT_SATURATE,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= 0xffff,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_COUNTER_0,
		.bad_buffer	= BAD_BUFFER_FAILS,
	},
	[PROFIL_DIALECT_AIX_RANGES] = {
		.index		= PROFIL_INDEX_BYTE_UP,
		.at_limit	= PROFIL_LIMIT_SATURATE,
		.on_fault	= PROFIL_FAULT_STOP_ALL,
		.scale_mask	= 0xffff,
		.scale_max	= ANY_SCALE,
		.scale_off	= 1,
		.scale2		= SCALE2_COUNTER_0,
		.bad_buffer	= BAD_BUFFER_FAILS,
	},
};

const struct dialect *libprofil_dialect(enum profil_dialect tag)
{
	return &dialects[tag];
}

unsigned int libprofil_max_ranges(enum profil_dialect tag,
				  const struct profil_features *features)
{
	unsigned int max = dialects[tag].max_ranges;

	return max && max < features->max_regions ? max : features->max_regions;
}

int libprofil_is_overflow_bin(const struct range *range)
{
	return range->offset == 0 && range->scale == 2;
}

/* The kernel's way to say "everything into counter 0" is scale 0. */
static void apply_scale2(const struct dialect *d, const struct range *range,
			 struct profil_region *region)
{
	if (d->scale2 == SCALE2_COUNTER_0) {
		region->scale = 0;
	} else if (d->scale2 == SCALE2_OVERFLOW_BIN &&
		   libprofil_is_overflow_bin(range)) {
		region->scale = 0;
		region->flags = PROFIL_REGION_CATCH_ALL;
	}
}

int libprofil_region(const struct dialect *d, const struct range *range,
		     struct profil_region *region)
{
	/* ANY_SCALE masks nothing, not even what does not fit the kernel. */
	uint64_t scale = d->scale_mask == ANY_SCALE ?
			 range->scale : range->scale & d->scale_mask;

	if (scale > d->scale_max) {
		errno = EINVAL;
		return -1;
	}
	if (scale <= d->scale_off)
		return 0;

	*region = (struct profil_region){
		.buf		= range->buf,
		.size		= range->size,
		.offset		= range->offset,
		.pc_start	= range->pc_start,
		.pc_end		= range->pc_end,
		.limit		= d->limit,
		.scale		= (uint32_t)scale,
		.width		= range->width,
		.index		= d->index,
		.at_limit	= d->at_limit,
		.on_fault	= d->on_fault,
	};
	if (scale == 2)
		apply_scale2(d, range, region);
	return 1;
}
