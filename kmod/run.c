// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: one profile from start to stop, as the request that started it
 * describes it. Made and freed in process context; the tick reads it between
 * profil_enter() and profil_leave().
 */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "main.h"
#include "run.h"

static void profil_regions_release(struct kref *ref)
{
	struct profil_regions *regions =
		container_of(ref, struct profil_regions, ref);

	kvfree(regions->map);
	kfree(regions);
}

/* Can the process have memory there? */
static bool profil_in_user_space(u64 addr, u64 size)
{
	u64 end = TASK_SIZE;

	if (!access_ok(u64_to_user_ptr(addr), size))
		return false;
	/* On some machines that knows no other limit than 64-bit processes'. */
	return end > U32_MAX || addr + size <= end;
}

/* Between two short pieces of work on a request that may be a long one. */
static int profil_run_pause(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/*
 * Where the process means a buffer to be, for a tick that knows nothing of the
 * tags that it may set in addresses. A 32-bit one has no bits for any.
 */
static u64 profil_untagged(u64 addr)
{
	return in_compat_syscall() ? addr : untagged_addr(addr);
}

static void profil_regions_untag(struct profil_region *r, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		r[i].buf = profil_untagged(r[i].buf);
}

/* Regions between two pauses. */
#define PROFIL_REGIONS_STEP	64U

/* @size is the length of a region as the caller knows it. */
static int profil_regions_copy(struct profil_region *r, const void __user *from,
			       u32 n, u32 size)
{
	int err;

	/* The rule, in one piece. */
	if (size == sizeof(*r))
		return copy_from_user(r, from, n * sizeof(*r)) ? -EFAULT : 0;
	for (; n; n--, r++, from += size) {
		err = copy_struct_from_user(r, sizeof(*r), from, size);
		if (err)
			return err;
	}
	return 0;
}

static int profil_regions_get(struct profil_region *r, const void __user *from,
			      u32 n, u32 size)
{
	u32 i, step;
	int err;

	for (i = 0; i < n; i += step) {
		step = min(n - i, PROFIL_REGIONS_STEP);
		err = profil_regions_copy(r + i, from + (size_t)i * size, step, size);
		if (err)
			return err;
		profil_regions_untag(r + i, step);
		err = profil_run_pause();
		if (err)
			return err;
	}
	return 0;
}

static int profil_regions_access(const struct profil_region *r, u32 n)
{
	u32 i;
	int err;

	for (i = 0; i < n; i++) {
		if (r[i].size && !profil_in_user_space(r[i].buf, r[i].size))
			return -EFAULT;
		err = i % PROFIL_REGIONS_STEP ? 0 : profil_run_pause();
		if (err)
			return err;
	}
	return 0;
}

static struct profil_region *profil_regions_take(const struct profil_histogram *req)
{
	struct profil_region *r;
	int err;

	if (!req->nregions || req->region_size < PROFIL_REGION_SIZE_MIN)
		return ERR_PTR(-EINVAL);
	if (req->nregions > READ_ONCE(profil_max_regions) ||
	    req->region_size > PROFIL_SIZE_MAX)
		return ERR_PTR(-E2BIG);
	r = kvmalloc_array(req->nregions, sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return ERR_PTR(-ENOMEM);
	err = profil_regions_get(r, u64_to_user_ptr(req->regions), req->nregions,
				 req->region_size) ?:
	      profil_regions_check(r, req->nregions, profil_run_pause) ?:
	      profil_regions_access(r, req->nregions);
	if (!err)
		return r;
	kvfree(r);
	return ERR_PTR(err);
}

static struct profil_regions *profil_regions_compile(const struct profil_region *r, u32 n)
{
	struct profil_regions *regions = kmalloc(sizeof(*regions), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (!regions)
		return ERR_PTR(-ENOMEM);
	regions->map = kvmalloc(profil_map_bytes(n), GFP_KERNEL_ACCOUNT);
	if (!regions->map)
		goto free;
	err = profil_map_build(regions->map, r, n, profil_run_pause);
	if (err)
		goto free_map;
	kref_init(&regions->ref);
	regions->n = n;
	return regions;
free_map:
	kvfree(regions->map);
free:
	kfree(regions);
	return ERR_PTR(err);
}

static struct profil_run *profil_run_alloc(u32 mode, u32 rate, u32 flags, u32 tag)
{
	struct profil_run *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);

	/* docs/security.md says what a profile takes. */
	BUILD_BUG_ON(sizeof(*run) > 128);
	if (run) {
		kref_init(&run->ref);
		run->mode = mode;
		run->rate = rate;
		run->flags = flags;
		run->tag = tag;
	}
	return run;
}

static bool profil_run_set_regions(struct profil_run *run,
				   struct profil_regions *regions)
{
	run->regions = regions;
	run->stopped = kvcalloc(BITS_TO_LONGS(regions->n), sizeof(long),
				GFP_KERNEL_ACCOUNT);
	return run->stopped;
}

/* The run that @req asks for, or why not. Its rate and flags are checked. */
struct profil_run *profil_run_histogram(const struct profil_histogram *req)
{
	struct profil_regions *regions;
	struct profil_region *r;
	struct profil_run *run;

	r = profil_regions_take(req);
	if (IS_ERR(r))
		return ERR_CAST(r);
	regions = profil_regions_compile(r, req->nregions);
	kvfree(r);
	if (IS_ERR(regions))
		return ERR_CAST(regions);

	run = profil_run_alloc(PROFIL_MODE_HISTOGRAM, req->rate, req->flags, req->tag);
	if (!run) {
		kref_put(&regions->ref, profil_regions_release);
		return ERR_PTR(-ENOMEM);
	}
	if (!profil_run_set_regions(run, regions)) {
		profil_run_put(run);
		return ERR_PTR(-ENOMEM);
	}
	return run;
}

struct profil_run *profil_run_samples(const struct profil_samples *req)
{
	u64 buf = profil_untagged(req->buf), bytes;
	struct profil_run *run;

	if ((req->width != 4 && req->width != 8) || req->reserved)
		return ERR_PTR(-EINVAL);
	if (check_mul_overflow(req->nsamples, (u64)req->width, &bytes) ||
	    buf + bytes < buf)
		return ERR_PTR(-EINVAL);
	if (bytes && !profil_in_user_space(buf, bytes))
		return ERR_PTR(-EFAULT);

	run = profil_run_alloc(PROFIL_MODE_SAMPLES, req->rate, req->flags, req->tag);
	if (!run)
		return ERR_PTR(-ENOMEM);
	run->buf = buf;
	run->capacity = req->nsamples;
	run->width = req->width;
	atomic64_set(&run->end, req->nsamples);
	return run;
}

/* The run that a fork child takes over; NULL without memory. */
struct profil_run *profil_run_fork(const struct profil_run *run)
{
	struct profil_run *copy = profil_run_alloc(run->mode, run->rate,
						   run->flags, run->tag);

	if (!copy)
		return NULL;
	copy->buf = run->buf;
	copy->capacity = run->capacity;
	copy->width = run->width;
	atomic64_set(&copy->end, atomic64_read(&run->end));
	atomic64_set(&copy->position, profil_run_nsamples(run));
	if (!run->regions)
		return copy;

	kref_get(&run->regions->ref);
	if (!profil_run_set_regions(copy, run->regions)) {
		profil_run_put(copy);
		return NULL;
	}
	bitmap_copy(copy->stopped, run->stopped, run->regions->n);
	copy->attention = READ_ONCE(run->attention) & PROFIL_ATTENTION_STOPPED;
	return copy;
}

static void profil_run_release(struct kref *ref)
{
	struct profil_run *run = container_of(ref, struct profil_run, ref);

	if (run->regions)
		kref_put(&run->regions->ref, profil_regions_release);
	kvfree(run->stopped);
	kfree(run);
}

/* Drop a reference, if there is one. */
void profil_run_put(struct profil_run *run)
{
	if (run)
		kref_put(&run->ref, profil_run_release);
}

/* Elements of the sample array that are part of the result. */
u64 profil_run_nsamples(const struct profil_run *run)
{
	return min_t(u64, atomic64_read(&run->position), atomic64_read(&run->end));
}
