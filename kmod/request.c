// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a request asks for: checked, copied and compiled into a run.
 *
 * In a call of the process that is to be profiled, which may take long: it lets
 * others run, and ends for a fatal signal.
 *
 * Layer: profile, on ground.
 */
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "region.h"
#include "request.h"
#include "run.h"
#include "unwind_current.h"

static unsigned int max_regions = 4096;

static int profil_set_max_regions(const char *value, const struct kernel_param *kp)
{
	return param_set_uint_minmax(value, kp, 1, PROFIL_MAP_MAX_REGIONS);
}

static const struct kernel_param_ops max_regions_ops = {
	.set	= profil_set_max_regions,
	.get	= param_get_uint,
};

module_param_cb(max_regions, &max_regions_ops, &max_regions, 0644);
MODULE_PARM_DESC(max_regions, "most regions in one profile, 1 to 65536 (4096)");

/* Regions that a request may have at present. */
u32 profil_request_regions(void)
{
	return READ_ONCE(max_regions);
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
static int profil_request_pause(void)
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
static int profil_regions_copy_step(struct profil_region *r,
				    const void __user *from, u32 n, u32 size)
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

static int profil_regions_copy_in(struct profil_region *r, const void __user *from,
				  u32 n, u32 size)
{
	u32 i, step;
	int err;

	for (i = 0; i < n; i += step) {
		step = min(n - i, PROFIL_REGIONS_STEP);
		err = profil_regions_copy_step(r + i, from + (size_t)i * size, step,
					       size);
		if (err)
			return err;
		profil_regions_untag(r + i, step);
		err = profil_request_pause();
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
		err = i % PROFIL_REGIONS_STEP ? 0 : profil_request_pause();
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
	if (req->nregions > profil_request_regions() ||
	    req->region_size > PROFIL_SIZE_MAX)
		return ERR_PTR(-E2BIG);
	r = kvmalloc_array(req->nregions, sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return ERR_PTR(-ENOMEM);
	err = profil_regions_copy_in(r, u64_to_user_ptr(req->regions), req->nregions,
				     req->region_size) ?:
	      profil_regions_check(r, req->nregions, profil_request_pause) ?:
	      profil_regions_access(r, req->nregions);
	if (!err)
		return r;
	kvfree(r);
	return ERR_PTR(err);
}

static struct profil_regions *profil_regions_compile(const struct profil_region *r, u32 n)
{
	struct profil_regions *regions = profil_regions_alloc(n);
	int err;

	if (!regions)
		return ERR_PTR(-ENOMEM);
	err = profil_map_build(regions->map, r, n, profil_request_pause);
	if (!err)
		return regions;
	profil_regions_put(regions);
	return ERR_PTR(err);
}

/**
 * profil_request_histogram() - the run that a request asks for.
 * @req: the caller's, its regions still in the caller's memory; rate and flags
 *       have been checked
 *
 * Return: the run, or an error pointer: EINVAL, E2BIG, EFAULT, ENOMEM; EINTR for
 * a fatal signal.
 */
struct profil_run *profil_request_histogram(const struct profil_histogram *req)
{
	struct profil_regions *regions;
	struct profil_region *r;
	struct profil_run *run;

	might_sleep();
	r = profil_regions_take(req);
	if (IS_ERR(r))
		return ERR_CAST(r);
	regions = profil_regions_compile(r, req->nregions);
	kvfree(r);
	if (IS_ERR(regions))
		return ERR_CAST(regions);
	run = profil_run_of_regions(req->rate, req->flags, req->tag, regions);
	profil_regions_put(regions);
	return run ?: ERR_PTR(-ENOMEM);
}

/* 0; EINVAL, EFAULT. */
static int profil_stacks_check(const struct profil_samples *req, u64 stacks)
{
	if (!req->stacks)
		return req->stacks_size || req->first_sample ? -EINVAL : 0;
	/* A thread has no table of objects, and the process's may have no profile. */
	if (req->flags & PROFIL_THREAD)
		return -EINVAL;
	if (!PROFIL_UNWIND_SUPPORTED || req->stacks_size < PROFIL_STACKS_SIZE_MIN ||
	    stacks + req->stacks_size < stacks)
		return -EINVAL;
	return profil_in_user_space(stacks, req->stacks_size) ? 0 : -EFAULT;
}

/* Likewise; EINVAL, EFAULT, ENOMEM. */
struct profil_run *profil_request_samples(const struct profil_samples *req)
{
	u64 buf = profil_untagged(req->buf), bytes;
	u64 stacks = profil_untagged(req->stacks);
	struct profil_run *run;
	int err;

	if ((req->width != 4 && req->width != 8) || req->reserved)
		return ERR_PTR(-EINVAL);
	if (check_mul_overflow(req->nsamples, (u64)req->width, &bytes) ||
	    buf + bytes < buf)
		return ERR_PTR(-EINVAL);
	if (bytes && !profil_in_user_space(buf, bytes))
		return ERR_PTR(-EFAULT);
	err = profil_stacks_check(req, stacks);
	if (err)
		return ERR_PTR(err);
	run = profil_run_of_array(req->rate, req->flags, req->tag, buf,
				  req->nsamples, req->width);
	if (!run)
		return ERR_PTR(-ENOMEM);
	if (stacks)
		profil_run_set_stacks(run, stacks, req->stacks_size, req->first_sample);
	return run;
}
