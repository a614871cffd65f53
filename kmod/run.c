// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: one profile from its start to its stop. Made and freed in process
 * context; ticks use it between profil_enter() and profil_leave().
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "run.h"

/* Room for @n compiled regions; NULL: no memory. */
struct profil_regions *profil_regions_alloc(u32 n)
{
	struct profil_regions *regions =
		kvmalloc(offsetof(struct profil_regions, map) + profil_map_bytes(n),
			 GFP_KERNEL_ACCOUNT);

	if (regions)
		kref_init(&regions->ref);
	return regions;
}

static void release_regions(struct kref *ref)
{
	kvfree(container_of(ref, struct profil_regions, ref));
}

void profil_regions_put(struct profil_regions *regions)
{
	kref_put(&regions->ref, release_regions);
}

/* All other fields are 0. Takes a reference on @regions. NULL: no memory. */
struct profil_run *profil_run_alloc(u32 mode, u32 rate, u32 flags, u32 tag,
				    struct profil_regions *regions)
{
	static atomic64_t runs;
	u32 n = regions ? regions->map.nregions : 0;
	struct profil_run *run = kvzalloc(struct_size(run, stopped, BITS_TO_LONGS(n)),
					  GFP_KERNEL_ACCOUNT);

	/* docs/security.md states the memory of a profile. One region's bit fits into 128 bytes. */
	BUILD_BUG_ON(sizeof(*run) > 120);
	if (!run)
		return NULL;
	kref_init(&run->ref);
	run->mode = mode;
	run->rate = rate;
	run->flags = flags;
	run->tag = tag;
	run->id = atomic64_inc_return(&runs);
	run->regions = regions;
	if (regions)
		kref_get(&regions->ref);
	return run;
}

/* The run of a fork child; NULL: no memory. */
struct profil_run *profil_run_fork(const struct profil_run *run)
{
	struct profil_run *copy = profil_run_alloc(run->mode, run->rate, run->flags,
						   run->tag, run->regions);

	if (!copy)
		return NULL;
	if (run->regions) {
		bitmap_copy(copy->stopped, run->stopped, run->regions->map.nregions);
		copy->attention = READ_ONCE(run->attention) & PROFIL_ATTENTION_STOPPED;
		return copy;
	}
	copy->buf = run->buf;
	copy->capacity = run->capacity;
	copy->width = run->width;
	atomic64_set(&copy->end, atomic64_read(&run->end));
	atomic64_set(&copy->position, profil_run_nsamples(run));
	copy->stacks = run->stacks;
	copy->stacks_size = run->stacks_size;
	copy->first_sample = run->first_sample;
	return copy;
}

static void release_run(struct kref *ref)
{
	struct profil_run *run = container_of(ref, struct profil_run, ref);

	if (run->regions)
		profil_regions_put(run->regions);
	kvfree(run);
}

/* Drop a reference, unless @run is NULL; not in a tick. */
void profil_run_put(struct profil_run *run)
{
	might_sleep();
	if (run)
		kref_put(&run->ref, release_run);
}

/* The number of samples in the array. */
u64 profil_run_nsamples(const struct profil_run *run)
{
	return min_t(u64, atomic64_read(&run->position), atomic64_read(&run->end));
}
