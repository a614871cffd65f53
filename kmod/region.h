/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions: from a pc to its counter.
 *
 * Pure code without locks, allocation or user memory: the module, the unit tests
 * and the library's fake kernel compile the same two files. profil_regions_check()
 * checks a request, profil_map_build() compiles it once. From then on the map is constant, so
 * the tick reads it without a lock.
 */
#ifndef _PROFIL_REGION_H
#define _PROFIL_REGION_H

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/profil.h>
#include <linux/types.h>

/* Most regions of a map. */
#define PROFIL_MAP_MAX_REGIONS	65536U

/* Returned by profil_map_find() for a pc that no region counts. */
#define PROFIL_NO_REGION	(~0U)

/**
 * struct profil_region_compiled - a region as the tick uses it.
 * @buf:        address of the counters in user memory.
 * @offset:     pc of counter 0.
 * @limit:      largest value of a counter, never 0.
 * @scale:      16.16 fixed point.
 * @width:      bytes of a counter.
 * @elem_shift: log2(width) if pcs are divided into elements before scaling,
 *              else 0.
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
 * @segment:  number of each segment's region, by descending pc.
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
 * profil_region_check() - check a region against <linux/profil.h>.
 * @r: a region of a request.
 *
 * A region without a whole counter is legal, and so is any @offset. The index rule
 * of a catch-all has no effect, but must exist. The caller checks that @buf is an
 * address of user memory.
 *
 * Return: 0 or -EINVAL.
 */
int profil_region_check(const struct profil_region *r);

/**
 * profil_regions_check() - check the regions of one profile.
 * @r:     the regions.
 * @n:     their number.
 * @pause: as in profil_map_build().
 *
 * Return: 0; -EINVAL if there are none, one of them is wrong or two are
 * catch-alls; -E2BIG above PROFIL_MAP_MAX_REGIONS; or an error of @pause.
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
 * Return: the smaller of pc_end and the first pc beyond the last whole counter;
 * U64_MAX if neither is a bound. Not above profil_region_start() if the region
 * counts nothing.
 */
u64 profil_region_end(const struct profil_region *r);

/**
 * profil_map_bytes() - size of a map of any @n regions.
 * @n: number of regions, at most PROFIL_MAP_MAX_REGIONS.
 */
size_t profil_map_bytes(u32 n);

/**
 * profil_map_build() - compile regions for the tick.
 * @map:     profil_map_bytes(@n) bytes, aligned for u64. Need not be initialized.
 * @regions: checked with profil_regions_check(); not used after the call.
 * @n:       their number.
 * @pause:   called after each few hundred steps; any result but 0 ends the call.
 *
 * Takes O(n log n) steps for any overlaps, and allocates nothing.
 *
 * Return: 0, or an error of @pause.
 */
int profil_map_build(struct profil_map *map, const struct profil_region *regions,
		     u32 n, int (*pause)(void));

/* One level down the tree: left is 0, right is 1. */
static __always_inline unsigned long
profil_map_step(const struct profil_map *map, unsigned long i, u64 pc)
{
	unsigned long child = 2 * i;

	/* With this the compiler adds the carry of the comparison: 3 instructions. */
	OPTIMIZER_HIDE_VAR(child);
	return child + (pc < map->key[i]);
}

/**
 * profil_map_find() - the region that counts a pc.
 * @map: a map that has been built.
 * @pc:  a user pc, so below U64_MAX.
 *
 * The number of regions alone determines the levels of the tree, and there is no
 * branch to predict, so each pc costs the same.
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
 * @region: its number, from profil_map_find().
 */
static __always_inline const struct profil_region_compiled *
profil_map_region(const struct profil_map *map, u32 region)
{
	return &map->region[region];
}

/**
 * profil_region_counter() - the user address of a pc's counter.
 * @r:  a region.
 * @pc: a pc that profil_map_find() has found in it. So the counter is inside the
 *      region's buffer, and the arithmetic cannot overflow.
 */
static __always_inline u64
profil_region_counter(const struct profil_region_compiled *r, u64 pc)
{
	u64 elem = (pc - r->offset) >> r->elem_shift;
	u64 byte = mul_u64_u32_shr(elem, r->scale, 16) << r->elem_shift;

	return r->buf + ((byte + r->round_up) & -(u64)r->width);
}

#endif /* _PROFIL_REGION_H */
