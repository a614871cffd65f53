// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: one profile from its start to its stop. Made and freed in process
 * context; ticks use it between profil_enter() and profil_leave().
 *
 * Layer: profile, on ground.
 */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "run.h"

/* Room for @n regions, which are to be compiled into it; NULL without memory. */
struct profil_regions *profil_regions_alloc(u32 n)
{
	struct profil_regions *regions = kmalloc(sizeof(*regions), GFP_KERNEL_ACCOUNT);

	if (!regions)
		return NULL;
	kref_init(&regions->ref);
	regions->n = n;
	regions->map = kvmalloc(profil_map_bytes(n), GFP_KERNEL_ACCOUNT);
	if (regions->map)
		return regions;
	kfree(regions);
	return NULL;
}

static void profil_regions_release(struct kref *ref)
{
	struct profil_regions *regions =
		container_of(ref, struct profil_regions, ref);

	kvfree(regions->map);
	kfree(regions);
}

void profil_regions_put(struct profil_regions *regions)
{
	kref_put(&regions->ref, profil_regions_release);
}

static struct profil_run *profil_run_alloc(u32 mode, u32 rate, u32 flags, u32 tag)
{
	struct profil_run *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);

	/* docs/security.md says what a profile takes. */
	BUILD_BUG_ON(sizeof(*run) > 192);
	if (run) {
		kref_init(&run->ref);
		run->mode = mode;
		run->rate = rate;
		run->flags = flags;
		run->tag = tag;
	}
	return run;
}

/* A run that counts in @regions, of which it gets a reference; NULL: no memory. */
struct profil_run *profil_run_of_regions(u32 rate, u32 flags, u32 tag,
					 struct profil_regions *regions)
{
	struct profil_run *run = profil_run_alloc(PROFIL_MODE_HISTOGRAM, rate, flags, tag);

	if (!run)
		return NULL;
	run->stopped = kvcalloc(BITS_TO_LONGS(regions->n), sizeof(long),
				GFP_KERNEL_ACCOUNT);
	if (!run->stopped) {
		kfree(run);
		return NULL;
	}
	kref_get(&regions->ref);
	run->regions = regions;
	return run;
}

/* A run that stores @capacity samples at @buf; NULL without memory. */
struct profil_run *profil_run_of_array(u32 rate, u32 flags, u32 tag, u64 buf,
				       u64 capacity, u32 width)
{
	struct profil_run *run = profil_run_alloc(PROFIL_MODE_SAMPLES, rate, flags, tag);

	if (!run)
		return NULL;
	run->buf = buf;
	run->capacity = capacity;
	run->width = width;
	atomic64_set(&run->end, capacity);
	return run;
}

/* Before anybody else has @run. */
void profil_run_set_stacks(struct profil_run *run, u64 stacks, u64 size,
			   u64 first_sample)
{
	WARN_ON_ONCE(kref_read(&run->ref) != 1);
	run->stacks = stacks;
	run->stacks_size = size;
	run->first_sample = first_sample;
}

static struct profil_run *profil_run_fork_array(const struct profil_run *run)
{
	struct profil_run *copy = profil_run_of_array(run->rate, run->flags, run->tag,
						      run->buf, run->capacity,
						      run->width);

	if (copy) {
		atomic64_set(&copy->end, atomic64_read(&run->end));
		atomic64_set(&copy->position, profil_run_nsamples(run));
		profil_run_set_stacks(copy, run->stacks, run->stacks_size,
				      run->first_sample);
	}
	return copy;
}

static struct profil_run *profil_run_fork_regions(const struct profil_run *run)
{
	struct profil_run *copy = profil_run_of_regions(run->rate, run->flags, run->tag,
							run->regions);

	if (copy) {
		bitmap_copy(copy->stopped, run->stopped, run->regions->n);
		copy->attention = READ_ONCE(run->attention) & PROFIL_ATTENTION_STOPPED;
	}
	return copy;
}

/* The run that a fork child takes over; NULL without memory. */
struct profil_run *profil_run_fork(const struct profil_run *run)
{
	return run->regions ? profil_run_fork_regions(run) : profil_run_fork_array(run);
}

static void profil_run_release(struct kref *ref)
{
	struct profil_run *run = container_of(ref, struct profil_run, ref);

	if (run->regions)
		profil_regions_put(run->regions);
	kvfree(run->stopped);
	kfree(run);
}

/* Drop a reference, if there is one; not in a tick. */
void profil_run_put(struct profil_run *run)
{
	might_sleep();
	if (run)
		kref_put(&run->ref, profil_run_release);
}

/* Elements of the sample array that are part of the result. */
u64 profil_run_nsamples(const struct profil_run *run)
{
	return min_t(u64, atomic64_read(&run->position), atomic64_read(&run->end));
}
