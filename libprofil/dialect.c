// SPDX-License-Identifier: LGPL-2.1-or-later
/* The only reader of the rows of <libprofil/dialects.h>. It calls nothing else. */
#include "dialect.h"

#include <errno.h>

#define ANY_SCALE	UINT32_MAX

/* A tunable parameter on IRIX and HP-UX, by default 100. */
#ifndef LIBPROFIL_PROFIL_MAX
#define LIBPROFIL_PROFIL_MAX	100
#endif

/* The table's words for numbers. */
#define ANY	ANY_SCALE
#define TUNABLE	LIBPROFIL_PROFIL_MAX

#define NO_ROW(name, value)
#define ROW(tag, number, index_, at_limit_, limit_, on_fault_, mask, max, off,	\
	    scale2_, bad_buffer_, fewest, most)					\
	[number] = {								\
		.index		= PROFIL_INDEX_ ## index_,			\
		.at_limit	= PROFIL_LIMIT_ ## at_limit_,			\
		.limit		= limit_,					\
		.on_fault	= PROFIL_FAULT_ ## on_fault_,			\
		.scale_mask	= mask,						\
		.scale_max	= max,						\
		.scale_off	= off,						\
		.scale2		= SCALE2_ ## scale2_,				\
		.bad_buffer	= BAD_BUFFER_ ## bad_buffer_,			\
		.min_ranges	= fewest,					\
		.max_ranges	= most,						\
	},

static const struct dialect dialects[] = {
	LIBPROFIL_DIALECTS(NO_ROW, ROW, NO_ROW)
};

/* A number that does not fit its field stops the build. */
#define CHECK(tag, number, index_, at_limit_, limit_, on_fault_, mask, max,	\
	      off, scale2_, bad_buffer_, fewest, most)				\
	_Static_assert((limit_) >= 0 && (limit_) <= UINT16_MAX,			\
		       #tag ": the limit has 16 bits");				\
	_Static_assert((off) >= 0 && (off) <= UINT8_MAX,			\
		       #tag ": the scale that is off has 8 bits");		\
	_Static_assert((mask) <= UINT32_MAX && (max) <= UINT32_MAX,		\
		       #tag ": scales have 32 bits");

LIBPROFIL_DIALECTS(NO_ROW, CHECK, NO_ROW)

const struct dialect *libprofil_dialect(enum profil_dialect tag)
{
	return &dialects[tag];
}

unsigned int libprofil_dialect_max_ranges(enum profil_dialect tag,
				  const struct profil_features *features)
{
	unsigned int max = dialects[tag].max_ranges;

	return max && max < features->max_regions ? max : features->max_regions;
}

int libprofil_dialect_is_overflow_bin(const struct range *range)
{
	return range->offset == 0 && range->scale == 2;
}

/* In the kernel's interface scale 0 means: everything into counter 0. */
static void apply_scale2(const struct dialect *d, const struct range *range,
			 struct profil_region *region)
{
	if (d->scale2 == SCALE2_COUNTER_0) {
		region->scale = 0;
	} else if (d->scale2 == SCALE2_OVERFLOW_BIN &&
		   libprofil_dialect_is_overflow_bin(range)) {
		region->scale = 0;
		region->flags = PROFIL_REGION_CATCH_ALL;
	}
}

int libprofil_dialect_region(const struct dialect *d, const struct range *range,
		     struct profil_region *region)
{
	/* ANY_SCALE keeps all 64 bits, so that a scale over 32 bits is EINVAL below. */
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
