// SPDX-License-Identifier: LGPL-2.1-or-later
/* What <linux/profil.h> says of regions, slowly; see region_reference.h. */
#include <stdio.h>
#include <stdlib.h>

#include <linux/limits.h>

#include "region_reference.h"

typedef unsigned __int128 u128;

static bool is_catch_all(const struct profil_region *r)
{
	return r->flags == PROFIL_REGION_CATCH_ALL;
}

static u64 lowest_pc(const struct profil_region *r)
{
	return r->pc_start == 0 ? r->offset : r->pc_start;
}

static u64 largest_value(unsigned int width)
{
	return (u64)(((u128)1 << (8 * width)) - 1);
}

static bool region_valid(const struct profil_region *r)
{
	if (r->width != 2 && r->width != 4 && r->width != 8)
		return false;
	if (r->index != PROFIL_INDEX_BYTE_DOWN &&
	    r->index != PROFIL_INDEX_BYTE_UP && r->index != PROFIL_INDEX_ELEMENT)
		return false;
	if (r->at_limit != PROFIL_LIMIT_SATURATE &&
	    r->at_limit != PROFIL_LIMIT_WRAP && r->at_limit != PROFIL_LIMIT_STOP)
		return false;
	if (r->on_fault != PROFIL_FAULT_STOP_ALL && r->on_fault != PROFIL_FAULT_STOP_REGION)
		return false;
	if (r->reserved != 0)
		return false;
	if (r->limit > largest_value(r->width))
		return false;
	if (r->at_limit == PROFIL_LIMIT_WRAP && r->limit != 0)
		return false;
	if ((u128)r->buf + r->size > U64_MAX)
		return false;
	if (is_catch_all(r))
		return r->offset == 0 && r->pc_start == 0 && r->pc_end == 0 && r->scale == 0;
	if (r->flags != 0)
		return false;
	if (r->pc_start != 0 && r->pc_start < r->offset)
		return false;
	if (r->pc_end != 0 && r->pc_end <= lowest_pc(r))
		return false;

	return true;
}

bool reference_valid(const struct profil_region *r, u32 n)
{
	u32 i, catch_alls = 0;

	for (i = 0; i < n; i++) {
		if (!region_valid(&r[i]))
			return false;
		catch_alls += is_catch_all(&r[i]);
	}

	return n > 0 && catch_alls <= 1;
}

/* The index as a number without bounds. */
static u128 index_of(unsigned int rule, unsigned int width, u32 scale, u64 d)
{
	u128 byte = ((u128)d * scale) / 65536;

	switch (rule) {
	case PROFIL_INDEX_BYTE_UP:
		while (byte % width)
			byte++;
		return byte / width;
	case PROFIL_INDEX_ELEMENT:
		return ((u128)(d / width) * scale) / 65536;
	default:
		return byte / width;
	}
}

u64 reference_index(unsigned int rule, unsigned int width, u32 scale, u64 d)
{
	u128 index = index_of(rule, width, scale, d);

	return index > U64_MAX ? U64_MAX : (u64)index;
}

static bool counts(const struct profil_region *r, u64 pc)
{
	if (pc < lowest_pc(r) || (r->pc_end != 0 && pc >= r->pc_end))
		return false;

	return index_of(r->index, r->width, r->scale, pc - r->offset) <
	       r->size / r->width;
}

static u32 reference_find(const struct profil_region *r, u32 n, u64 pc)
{
	u32 best = PROFIL_NO_REGION, catch_all = PROFIL_NO_REGION;

	for (u32 i = 0; i < n; i++) {
		if (is_catch_all(&r[i])) {
			if (r[i].size / r[i].width > 0)
				catch_all = i;
		} else if (counts(&r[i], pc)) {
			if (best == PROFIL_NO_REGION || r[i].offset > r[best].offset)
				best = i;
		}
	}

	return best != PROFIL_NO_REGION ? best : catch_all;
}

static u64 reference_counter(const struct profil_region *r, u64 pc)
{
	if (is_catch_all(r))
		return r->buf;

	return r->buf + r->width * (u64)index_of(r->index, r->width, r->scale, pc - r->offset);
}

enum profil_count reference_next(const struct profil_region *r, u64 old, u64 *new)
{
	u128 next = (u128)old + 1;

	if (r->at_limit == PROFIL_LIMIT_WRAP) {
		*new = (u64)(next % ((u128)largest_value(r->width) + 1));
		return PROFIL_COUNT_STORE;
	}
	if (next <= (r->limit != 0 ? r->limit : largest_value(r->width))) {
		*new = (u64)next;
		return PROFIL_COUNT_STORE;
	}

	return r->at_limit == PROFIL_LIMIT_STOP ? PROFIL_COUNT_STOP : PROFIL_COUNT_SATURATED;
}

int no_pause(void)
{
	return 0;
}

struct profil_map *build_map(const struct profil_region *r, u32 n)
{
	struct profil_map *map = malloc(profil_map_bytes(n));

	if (!map)
		abort();
	if (profil_map_build(map, r, n, no_pause))
		abort();

	return map;
}

static bool agrees_at(const struct profil_map *map, const struct profil_region *r, u32 n, u64 pc)
{
	u32 want = reference_find(r, n, pc), got = profil_map_find(map, pc);
	u64 want_at = want == PROFIL_NO_REGION ? 0 : reference_counter(&r[want], pc);
	u64 got_at = got == PROFIL_NO_REGION ? 0 :
		     profil_region_counter(profil_map_region(map, got), pc);

	if (want == got && want_at == got_at)
		return true;
	fprintf(stderr, "pc %#llx: region %d counter %#llx, should be region %d counter %#llx\n",
		(unsigned long long)pc, (int)got, (unsigned long long)got_at, (int)want,
		(unsigned long long)want_at);
	return false;
}

/* No user pc is U64_MAX: the map is not asked for it. */
static bool agrees_around(const struct profil_map *map,
			  const struct profil_region *r, u32 n, u64 pc)
{
	u64 first = pc > 1 ? pc - 2 : 0;

	for (u64 i = first; i != U64_MAX && i - first < 4; i++)
		if (!agrees_at(map, r, n, i))
			return false;

	return true;
}

bool reference_agrees(const struct profil_region *r, u32 n, const u64 *pc, size_t npcs)
{
	struct profil_map *map = build_map(r, n);
	bool agrees = true;

	for (size_t i = 0; agrees && i < npcs; i++)
		agrees = agrees_around(map, r, n, pc[i]);

	for (size_t i = 0; agrees && i < n; i++)
		agrees = is_catch_all(&r[i]) || (agrees_around(map, r, n, lowest_pc(&r[i])) &&
			  agrees_around(map, r, n, profil_region_end(&r[i])));

	free(map);
	return agrees;
}
