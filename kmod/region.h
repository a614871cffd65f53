/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions: from a pc to the counter that it is counted in.
 *
 * Pure code without locks, allocation or user memory: the module, the unit
 * tests and the fuzzer compile the same two files. A request is checked with
 * profil_regions_check(), compiled once with profil_map_build(), and from then
 * on the map is constant, so that the tick's interrupt reads it without a lock.
 *
 * The tick does, for a pc:
 *
 *	n = profil_map_find(map, pc);
 *	if (n == PROFIL_NO_REGION)
 *		outside;
 *	r = profil_map_region(map, n);
 *	at = profil_region_counter(r, pc);	// r->width bytes, at any alignment
 *	what = profil_counter_next(r, old, &new);
 */
#ifndef _PROFIL_REGION_H
#define _PROFIL_REGION_H

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/profil.h>
#include <linux/types.h>

/* Most regions a map can be built from. */
#define PROFIL_MAP_MAX_REGIONS	65536U

/* What profil_map_find() says of a pc that no region counts. */
#define PROFIL_NO_REGION	(~0U)

/* What a tick does with a counter. */
enum profil_count {
	PROFIL_COUNT_STORE,	/* the new value is stored */
	PROFIL_COUNT_SATURATED,	/* counted, but the counter stays as it is */
	PROFIL_COUNT_STOP,	/* counter stays as it is, the profile stops */
	PROFIL_COUNT_CARRY,	/* stored, but a carry is left to do: counter.c */
};

/**
 * struct profil_region_compiled - what the tick needs of a region.
 * @buf:        address of the counters in user memory.
 * @offset:     pc of counter 0.
 * @limit:      largest value of a counter, never 0.
 * @scale:      16.16 fixed point.
 * @width:      bytes of a counter.
 * @elem_shift: log2(width) if pcs are divided into elements before they are
 *              scaled, else 0.
 * @round_up:   width - 1 if byte offsets are rounded up, else 0.
 * @at_limit:   enum profil_limit.
 * @on_fault:   enum profil_fault.
 */
struct profil_region_compiled {
	u64	buf;
	u64	offset;
	u64	limit;
	u32	scale;
	u8	width;
	u8	elem_shift;
	u8	round_up;
	u8	at_limit;
	u8	on_fault;
};

/**
 * struct profil_map - regions, compiled for a search by pc.
 * @leaves:   number of segments, with padding; a power of 4.
 * @nregions: number of regions.
 * @segment:  number of the region that has each segment, by descending pc.
 * @region:   the regions, in the order of the request.
 * @key:      where segments begin: a complete binary search tree in breadth-
 *            first order, root at 1, larger pcs to the left.
 */
struct profil_map {
	u32				leaves;
	u32				nregions;
	u32				*segment;
	struct profil_region_compiled	*region;
	u64				key[];
};

/**
 * profil_region_check() - is this a region of the interface?
 * @r: as the caller of the device gave it.
 *
 * Beyond what <linux/profil.h> says of each field, these are errors:
 * a @pc_end that is not above the lowest pc counted; counters that end beyond
 * the address space. A catch-all has no pc range, so offset, pc_start, pc_end
 * and scale are 0; its index rule has no effect, but must be one.
 *
 * A region that can count nothing because it has no whole counter is legal,
 * and so is an @offset or a @buf of any value: that @buf is an address of user
 * memory is for the caller to check.
 *
 * Return: 0 or -EINVAL.
 */
int profil_region_check(const struct profil_region *r);

/**
 * profil_regions_check() - are these regions of one profile?
 * @r:     the regions.
 * @n:     their number.
 * @pause: as in profil_map_build().
 *
 * Return: 0; -EINVAL if there are none, one of them is wrong or two are
 * catch-alls; -E2BIG above PROFIL_MAP_MAX_REGIONS; what @pause says.
 */
int profil_regions_check(const struct profil_region *r, u32 n, int (*pause)(void));

/**
 * profil_region_start() - the lowest pc that a region counts.
 * @r: a checked region, not a catch-all.
 */
u64 profil_region_start(const struct profil_region *r);

/**
 * profil_region_end() - the first pc that a region no longer counts.
 * @r: a checked region, not a catch-all.
 *
 * Return: the smaller of pc_end and the pc that would be the first to need a
 * counter beyond the last whole one; U64_MAX if neither is a bound. Not above
 * profil_region_start() if the region counts nothing.
 */
u64 profil_region_end(const struct profil_region *r);

/**
 * profil_map_bytes() - memory that a map takes, for any @n regions.
 * @n: number of regions, at most PROFIL_MAP_MAX_REGIONS.
 */
size_t profil_map_bytes(u32 n);

/**
 * profil_map_build() - compile regions for the tick.
 * @map:     profil_map_bytes(@n) bytes, aligned for u64, of any content.
 * @regions: checked with profil_regions_check(); not used after the call.
 * @n:       their number.
 * @pause:   called after each few hundred steps. If it returns anything but 0,
 *           the map is given up.
 *
 * Takes O(n log n) steps however the regions overlap, and allocates nothing.
 *
 * Return: 0, or what @pause has returned.
 */
int profil_map_build(struct profil_map *map, const struct profil_region *regions,
		     u32 n, int (*pause)(void));

/* One level down the tree: left is 0, right is 1. */
static __always_inline unsigned long
profil_map_step(const struct profil_map *map, unsigned long i, u64 pc)
{
	unsigned long child = 2 * i;

	/* Makes this an add with carry of the comparison: 3 instructions. */
	OPTIMIZER_HIDE_VAR(child);
	return child + (pc < map->key[i]);
}

/**
 * profil_map_find() - the region that a pc is counted in.
 * @map: a map that has been built.
 * @pc:  a user pc; below U64_MAX, which no user pc is.
 *
 * The levels of the tree depend on the number of regions only and there is no
 * branch to predict, so that every pc costs the same.
 *
 * Return: the region's number in the request, or PROFIL_NO_REGION.
 */
static __always_inline u32 profil_map_find(const struct profil_map *map, u64 pc)
{
	unsigned long leaves = map->leaves;
	unsigned long i = 1;

	do {
		i = profil_map_step(map, i, pc);
		i = profil_map_step(map, i, pc);
	} while (i < leaves);

	return map->segment[i - leaves];
}

/**
 * profil_map_region() - the compiled form of a region.
 * @map:    a map that has been built.
 * @region: its number, as profil_map_find() gives it.
 */
static __always_inline const struct profil_region_compiled *
profil_map_region(const struct profil_map *map, u32 region)
{
	return &map->region[region];
}

/**
 * profil_region_counter() - the user address of a pc's counter.
 * @r:  a region.
 * @pc: a pc that profil_map_find() has found in it. The counter is then inside
 *      the region's buffer, and nothing here can overflow.
 */
static __always_inline u64
profil_region_counter(const struct profil_region_compiled *r, u64 pc)
{
	u64 elem = (pc - r->offset) >> r->elem_shift;
	u64 byte = mul_u64_u32_shr(elem, r->scale, 16) << r->elem_shift;

	return r->buf + ((byte + r->round_up) & -(u64)r->width);
}

/**
 * profil_counter_next() - what one more tick does to a counter.
 * @r:   its region.
 * @old: its value. One above the limit is at the limit.
 * @new: out: its next value, for PROFIL_COUNT_STORE only.
 */
static __always_inline enum profil_count
profil_counter_next(const struct profil_region_compiled *r, u64 old, u64 *new)
{
	if (likely(old < r->limit)) {
		*new = old + 1;
		return PROFIL_COUNT_STORE;
	}

	switch (r->at_limit) {
	case PROFIL_LIMIT_WRAP:
		*new = 0;
		return PROFIL_COUNT_STORE;
	case PROFIL_LIMIT_STOP:
		return PROFIL_COUNT_STOP;
	default:
		return PROFIL_COUNT_SATURATED;
	}
}

#endif /* _PROFIL_REGION_H */
