// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions: checks of a request, and its compilation into a map. See region.h.
 *
 * The process that makes the request runs this; the tick uses only the inline
 * functions of region.h.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/limits.h>

#include "region.h"

/* Steps between two calls of pause(): some 10 us. */
#define PAUSE_STEPS	256

/* Counts short steps, and calls pause() after PAUSE_STEPS of them. */
struct pace {
	int		(*pause)(void);
	unsigned int	steps;
	int		err;		/* what pause() returned */
};

/* A region while the map is built: its pcs and its rank. */
struct span {
	u64	start;
	u64	end;
	u64	offset;
	u32	region;
};

/* One step. True: pause() returned an error, which is in @pace. */
static __always_inline bool gives_up(struct pace *pace)
{
	if (likely(++pace->steps % PAUSE_STEPS))
		return false;
	pace->err = pace->pause();
	return pace->err;
}

static bool width_ok(unsigned int width)
{
	return width == 2 || width == 4 || width == 8;
}

static unsigned int width_shift(unsigned int width)
{
	return width == 8 ? 3 : width == 4 ? 2 : 1;
}

/* The largest value that a counter of this width holds. */
static u64 width_max(unsigned int width)
{
	return U64_MAX >> (64 - 8 * width);
}

static bool limit_ok(const struct profil_region *r)
{
	if (r->at_limit > PROFIL_LIMIT_STOP || r->limit > width_max(r->width))
		return false;

	return r->at_limit != PROFIL_LIMIT_WRAP || !r->limit;
}

static bool range_ok(const struct profil_region *r)
{
	if (r->flags & PROFIL_REGION_CATCH_ALL)
		return !r->offset && !r->pc_start && !r->pc_end && !r->scale;
	if (r->pc_start && r->pc_start < r->offset)
		return false;

	return !r->pc_end || r->pc_end > profil_region_start(r);
}

int profil_region_check(const struct profil_region *r)
{
	if ((r->flags & ~PROFIL_REGION_CATCH_ALL) || r->reserved)
		return -EINVAL;
	if (!width_ok(r->width) || r->index > PROFIL_INDEX_ELEMENT ||
	    r->on_fault > PROFIL_FAULT_STOP_REGION)
		return -EINVAL;
	if (!limit_ok(r) || !range_ok(r) || r->buf + r->size < r->buf)
		return -EINVAL;

	return 0;
}

int profil_regions_check(const struct profil_region *r, u32 n, int (*pause)(void))
{
	struct pace pace = { .pause = pause };
	bool catch_all = false;
	u32 i;

	if (n > PROFIL_MAP_MAX_REGIONS)
		return -E2BIG;

	for (i = 0; i < n; i++) {
		if (gives_up(&pace))
			return pace.err;
		if (profil_region_check(&r[i]))
			return -EINVAL;
		if (!(r[i].flags & PROFIL_REGION_CATCH_ALL))
			continue;
		if (catch_all)
			return -EINVAL;
		catch_all = true;
	}

	return n ? 0 : -EINVAL;
}

u64 profil_region_start(const struct profil_region *r)
{
	return r->pc_start ? r->pc_start : r->offset;
}

/* The smallest d with d * scale >= n * 2^16, at most U64_MAX. */
static u64 unscale(u64 n, u32 scale)
{
	u64 rest, d, tail;

	if (!n)
		return 0;
	if (!scale)
		return U64_MAX;

	d = div64_u64_rem(n, scale, &rest);
	tail = div64_u64((rest << 16) + scale - 1, scale);

	/* No overflow: if the tail is 2^16, the scale is large, and d small. */
	return d >> 48 ? U64_MAX : (d << 16) + tail;
}

/* The smallest distance whose counter is beyond the last whole one. */
static u64 distance_end(const struct profil_region *r)
{
	unsigned int shift = width_shift(r->width);
	u64 counters = r->size >> shift;
	u64 elem;

	if (!counters)
		return 0;

	switch (r->index) {
	case PROFIL_INDEX_BYTE_UP:
		/* Any byte beyond the first of the last counter rounds up. */
		return unscale(((counters - 1) << shift) + 1, r->scale);
	case PROFIL_INDEX_ELEMENT:
		elem = unscale(counters, r->scale);
		return elem > U64_MAX >> shift ? U64_MAX : elem << shift;
	default:
		return unscale(counters << shift, r->scale);
	}
}

u64 profil_region_end(const struct profil_region *r)
{
	u64 end = distance_end(r);

	end = end > U64_MAX - r->offset ? U64_MAX : r->offset + end;

	return r->pc_end && r->pc_end < end ? r->pc_end : end;
}

/*
 * Each region begins and ends at most one segment, and there is one segment
 * before all of them: a tree of 2 * n keys.
 */
static u32 map_leaves(u32 n)
{
	u32 leaves = 4;

	while (leaves <= 2 * n)
		leaves *= 4;

	return leaves;
}

size_t profil_map_bytes(u32 n)
{
	size_t leaves = map_leaves(n);

	return sizeof(struct profil_map) + leaves * sizeof(u64) +
	       n * sizeof(struct profil_region_compiled) + leaves * sizeof(u32);
}

static void map_init(struct profil_map *map, u32 n)
{
	map->leaves = map_leaves(n);
	map->nregions = n;
	map->region = (void *)(map->key + map->leaves);
	map->segment = (void *)(map->region + n);
}

/* Does a get the pcs that both contain? */
static bool span_wins(const struct span *a, const struct span *b)
{
	if (a->offset != b->offset)
		return a->offset > b->offset;

	return a->region < b->region;
}

static bool span_ends_first(const struct span *a, const struct span *b)
{
	return a->end < b->end;
}

/* Adds a span to a heap of n. The first span of a heap comes before all others. */
static __always_inline void
heap_push(struct span *heap, u32 n, struct span new,
	  bool (*before)(const struct span *, const struct span *))
{
	while (n) {
		u32 parent = (n - 1) / 2;

		if (!before(&new, &heap[parent]))
			break;
		heap[n] = heap[parent];
		n = parent;
	}
	heap[n] = new;
}

/* Removes the first of the n spans in the heap. */
static __always_inline void
heap_pop(struct span *heap, u32 n,
	 bool (*before)(const struct span *, const struct span *))
{
	struct span last = heap[--n];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
}

/*
 * Makes the n-th boundary, counted from 1 and from above: @region counts the pcs below
 * @pc, down to the next boundary.
 *
 * The keys of the tree are in order from left to right. With b the lowest bit set
 * in n, the n-th key is on the level that has leaves / (2 * b) keys, after
 * n / (2 * b) others.
 */
static void map_boundary(struct profil_map *map, u32 n, u64 pc, u32 region)
{
	u32 b = n & -n;

	map->key[(map->leaves + n) / (2 * b)] = pc;
	map->segment[n] = region;
}

/* By descending end. The kernel's sort() does not pause. */
static int sort_spans(struct span *span, u32 n, struct pace *pace)
{
	u32 i;

	for (i = 0; i < n; i++) {
		heap_push(span, i, span[i], span_ends_first);
		if (gives_up(pace))
			return pace->err;
	}
	for (i = n; i > 1; i--) {
		struct span first = span[0];

		heap_pop(span, i, span_ends_first);
		span[i - 1] = first;
		if (gives_up(pace))
			return pace->err;
	}

	return 0;
}

/*
 * Lists the regions that can count, by descending end, and finds the catch-all,
 * which counts all other pcs. Most requests are in ascending order, and need no
 * sorting.
 */
static int list_spans(struct span *span, u32 *count, u32 *outside, struct pace *pace,
		      const struct profil_region *r, u32 n)
{
	bool sorted = true;
	u32 i;

	*count = 0;
	for (i = n; i--; ) {
		struct span s = {
			.start	= profil_region_start(&r[i]),
			.end	= profil_region_end(&r[i]),
			.offset	= r[i].offset,
			.region	= i,
		};

		if (gives_up(pace))
			return pace->err;
		if (r[i].flags & PROFIL_REGION_CATCH_ALL) {
			if (r[i].size >= r[i].width)
				*outside = i;
			continue;
		}
		if (s.start >= s.end)
			continue;
		if (*count && span[*count - 1].end < s.end)
			sorted = false;
		span[(*count)++] = s;
	}

	return sorted ? 0 : sort_spans(span, *count, pace);
}

/* State of a sweep over the pcs from above. */
struct sweep {
	struct span	*span;		/* by descending end */
	u32		n;
	u32		next;		/* the first that ends below the pc */
	u32		active;		/* spans in the heap */
	u32		boundaries;
	struct pace	*pace;
};

/* Updates the heap to the spans that contain the pc below @pc; the winner is first. */
static int sweep_to(struct sweep *s, u64 pc)
{
	struct span *span = s->span;

	for (; s->next < s->n && span[s->next].end >= pc; s->next++) {
		heap_push(span, s->active++, span[s->next], span_wins);
		if (gives_up(s->pace))
			return s->pace->err;
	}
	while (s->active && span[0].start >= pc) {
		heap_pop(span, s->active--, span_wins);
		if (gives_up(s->pace))
			return s->pace->err;
	}

	return gives_up(s->pace) ? s->pace->err : 0;
}

/* The next lower pc at which spans end or the winner may begin. */
static u64 sweep_next(const struct sweep *s)
{
	u64 pc = s->active ? s->span[0].start : 0;

	if (s->next < s->n && s->span[s->next].end > pc)
		pc = s->span[s->next].end;

	return pc;
}

/* Puts the unused boundaries at 0. */
static int pad_segments(struct profil_map *map, struct sweep *s, u32 outside)
{
	while (s->boundaries < map->leaves - 1) {
		map_boundary(map, ++s->boundaries, 0, outside);
		if (gives_up(s->pace))
			return s->pace->err;
	}

	return 0;
}

/*
 * Sweeps over the pcs from above. The spans that contain the pc below the current
 * one are in a heap, the winner first. A span whose start has been passed is removed
 * only when it comes first. The winner has the largest offset, so its start is usually
 * the first to be passed. The heap uses the part of the array that the sweep has passed.
 */
static int cut_segments(struct profil_map *map, struct sweep *s, u32 outside)
{
	u32 region = outside;

	map->segment[0] = outside;
	while (s->next < s->n || s->active) {
		u64 pc = sweep_next(s);
		u32 winner = outside;
		int err = sweep_to(s, pc);

		if (err)
			return err;
		if (s->active)
			winner = s->span[0].region;
		if (winner != region)
			map_boundary(map, ++s->boundaries, pc, winner);
		region = winner;
	}

	return pad_segments(map, s, outside);
}

static void compile_region(struct profil_region_compiled *c,
			   const struct profil_region *r)
{
	bool element = r->index == PROFIL_INDEX_ELEMENT;
	bool up = r->index == PROFIL_INDEX_BYTE_UP;

	*c = (struct profil_region_compiled) {
		.buf		= r->buf,
		.offset		= r->offset,
		.limit		= r->limit ? r->limit : width_max(r->width),
		.scale		= r->scale,
		.width		= r->width,
		.elem_shift	= element ? width_shift(r->width) : 0,
		.round_up	= up ? r->width - 1 : 0,
		.at_limit	= r->at_limit,
		.on_fault	= r->on_fault,
	};
}

static int compile_regions(struct profil_map *map, struct pace *pace,
			   const struct profil_region *regions, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		compile_region(&map->region[i], &regions[i]);
		if (gives_up(pace))
			return pace->err;
	}

	return 0;
}

int profil_map_build(struct profil_map *map, const struct profil_region *regions,
		     u32 n, int (*pause)(void))
{
	struct pace pace = { .pause = pause };
	struct sweep sweep = { .pace = &pace };
	u32 outside = PROFIL_NO_REGION;

	map_init(map, n);
	/* The spans share the memory of the compiled regions, which are written last. */
	BUILD_BUG_ON(sizeof(struct span) > sizeof(struct profil_region_compiled));
	sweep.span = (struct span *)map->region;
	return list_spans(sweep.span, &sweep.n, &outside, &pace, regions, n) ?:
	       cut_segments(map, &sweep, outside) ?: compile_regions(map, &pace, regions, n);
}
