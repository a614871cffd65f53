// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests and reports: structures that begin with their size, in the memory of the
 * calling process. A request is copied, checked and compiled into a run. That may
 * fault and take long, so it lets other tasks run, and a fatal signal ends it.
 */
#include <linux/build_bug.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/profil.h>

#include "compat.h"
#include "region.h"
#include "request.h"
#include "run.h"
#include "stack/stack.h"

static int read_size(u32 *size, u32 min, const void __user *from)
{
	if (get_user(*size, (const u32 __user *)from))
		return -EFAULT;
	if (*size < min)
		return -EINVAL;
	return *size > PROFIL_SIZE_MAX ? -E2BIG : 0;
}

/* Called between short steps of long work on a request. */
static int pause_request(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/* A write access that changes nothing, as other threads may be writing there. */
static int touch(u8 __user *at)
{
	profil_word __user *word = PTR_ALIGN_DOWN((void __user *)at, sizeof(*word));
	profil_word old;
	int err;

	if (!access_ok(word, sizeof(*word)))
		return -EFAULT;
	do {
		if (!profil_words_begin(word))
			return -EFAULT;
		err = profil_word_load(&old, word) ?: profil_word_cas(word, &old, old);
		profil_words_end();
	} while (err == -EAGAIN && !pause_request());
	return err == -EAGAIN ? -EINTR : err;
}

/* Before a start or stop: can the report be delivered? It is in 1 or 2 pages. */
static int check_writable(u8 __user *to, u32 size)
{
	BUILD_BUG_ON(PROFIL_SIZE_MAX > PAGE_SIZE);
	return touch(to) ?: offset_in_page(to) + size > PAGE_SIZE ? touch(to + size - 1) : 0;
}

/*
 * Copy in a structure that is only read, of @known bytes, at least @min for the caller. Its
 * first member, a u32, is the caller's size of it. 0 or -EFAULT, -EINVAL, -E2BIG.
 */
int profil_copy_in(void *req, u32 known, u32 min, const void __user *from)
{
	u32 size;
	int err;

	err = read_size(&size, min, from);
	if (err)
		return err;
	err = copy_struct_from_user(req, known, from, size);
	if (err)
		return err;
	/* Another thread may have changed it since it was checked. */
	*(u32 *)req = size;
	return 0;
}

/* Likewise for a structure that the kernel will write to: it must be writable. */
int profil_copy_in_out(void *req, u32 known, u32 min, void __user *from)
{
	return profil_copy_in(req, known, min, from) ?:
	       check_writable(from, *(u32 *)req);
}

/*
 * Check the caller's structure @to, which profil_report_send() will fill in. Its size, the
 * first member, is read, at least @min. It must be writable, and does not change. 0 or
 * -EFAULT, -EINVAL, -E2BIG.
 */
int profil_report_open(struct profil_report *report, void __user *to, u32 min)
{
	report->to = to;
	return read_size(&report->size, min, to) ?:
	       check_writable(to, report->size);
}

/* Send @what, of @known bytes, its first member set to the size sent. 0 or -EFAULT. */
int profil_report_send(const struct profil_report *report, void *what, u32 known)
{
	u32 size = min(report->size, known);

	if (!report->to)
		return 0;
	*(u32 *)what = size;
	if (copy_to_user(report->to, what, size))
		return -EFAULT;
	return clear_user(report->to + size, report->size - size) ? -EFAULT : 0;
}

unsigned int profil_request_max_regions = 4096;

static int set_max_regions(const char *value, const struct kernel_param *kp)
{
	return param_set_uint_minmax(value, kp, 1, PROFIL_MAP_MAX_REGIONS);
}

static const struct kernel_param_ops max_regions_ops = {
	.set	= set_max_regions,
	.get	= param_get_uint,
};

module_param_cb(max_regions, &max_regions_ops, &profil_request_max_regions, 0644);
MODULE_PARM_DESC(max_regions, "most regions of one profile, 1 to 65536 (default 4096)");

/*
 * The address without the tags that the process may set in it, as ticks write to
 * untagged addresses. 32-bit addresses have no room for tags.
 */
static u64 untagged(u64 addr)
{
	return in_compat_syscall() ? addr : untagged_addr(addr);
}

/* Elements of an array between two pauses. */
#define STEP	64

/*
 * Copy in an array of @n structures, each of @known bytes for the kernel, and of @size for
 * the caller. 0 or -EFAULT, -E2BIG; -EINTR: a fatal signal.
 */
int profil_copy_in_array(void *to, u32 known, const void __user *from, u32 n, u32 size)
{
	int err = 0;
	u32 i;

	/* docs/security.md states how many are copied between two pauses. */
	BUILD_BUG_ON(STEP > 64);
	for (i = 0; i < n && !err; i++, to += known, from += size)
		err = copy_struct_from_user(to, known, from, size) ?:
		      i % STEP ? 0 : pause_request();
	return err;
}

static int check_buffers(struct profil_region *r, u32 n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++) {
		r[i].buf = untagged(r[i].buf);
		if (r[i].size && !profil_request_is_user(r[i].buf, r[i].size))
			return -EFAULT;
		err = i % STEP ? 0 : pause_request();
	}
	return err;
}

/* Copy the regions to @r, check and compile them. */
static struct profil_regions *take_regions(struct profil_region *r,
					   const struct profil_histogram *req)
{
	struct profil_regions *regions;
	u32 n = req->nregions;
	int err = profil_copy_in_array(r, sizeof(*r), u64_to_user_ptr(req->regions), n,
				       req->region_size) ?:
		  profil_regions_check(r, n, pause_request) ?: check_buffers(r, n);

	if (err)
		return ERR_PTR(err);
	regions = profil_regions_alloc(n);
	if (!regions)
		return ERR_PTR(-ENOMEM);
	err = profil_map_build(&regions->map, r, n, pause_request);
	if (!err)
		return regions;
	profil_regions_put(regions);
	return ERR_PTR(err);
}

/*
 * Make the run for a request whose rate and flags have been checked, with its regions in
 * user memory. Error pointers: EINVAL, E2BIG, EFAULT, ENOMEM; EINTR: a fatal signal.
 */
struct profil_run *profil_request_histogram(const struct profil_histogram *req)
{
	/* Most requests have one region. */
	struct profil_region one, *r = &one;
	struct profil_regions *regions;
	struct profil_run *run;

	might_sleep();
	if (!req->nregions || req->region_size < PROFIL_REGION_SIZE_MIN ||
	    req->flags & (PROFIL_WAITS | PROFIL_LAZY))
		return ERR_PTR(-EINVAL);
	if (req->nregions > READ_ONCE(profil_request_max_regions) ||
	    req->region_size > PROFIL_SIZE_MAX)
		return ERR_PTR(-E2BIG);
	if (req->nregions > 1)
		r = kvmalloc_array(req->nregions, sizeof(*r), GFP_KERNEL_ACCOUNT);
	if (!r)
		return ERR_PTR(-ENOMEM);
	regions = take_regions(r, req);
	if (r != &one)
		kvfree(r);
	if (IS_ERR(regions))
		return ERR_CAST(regions);
	run = profil_run_alloc(PROFIL_MODE_HISTOGRAM, req->rate, req->flags, req->tag,
			       regions);
	profil_regions_put(regions);
	return run ?: ERR_PTR(-ENOMEM);
}

/* The same for a sample array; EINVAL, EFAULT, EOPNOTSUPP, ENOMEM. */
struct profil_run *profil_request_samples(const struct profil_samples *req)
{
	u64 buf = untagged(req->buf), bytes;
	u64 stacks = untagged(req->stacks);
	struct profil_run *run;
	int err = 0;

	if ((req->width != 4 && req->width != 8) || req->reserved)
		return ERR_PTR(-EINVAL);
	if (check_mul_overflow(req->nsamples, (u64)req->width, &bytes) ||
	    buf + bytes < buf)
		return ERR_PTR(-EINVAL);
	if (bytes && !profil_request_is_user(buf, bytes))
		return ERR_PTR(-EFAULT);
	if (req->stacks)
		err = PROFIL_HAS_STACKS ? profil_stack_check(req, stacks) : -EINVAL;
	else if (req->stacks_size || req->first_sample || req->flags & PROFIL_WAITS)
		err = -EINVAL;
	if (err)
		return ERR_PTR(err);
	run = profil_run_alloc(PROFIL_MODE_SAMPLES, req->rate, req->flags, req->tag,
			       NULL);
	if (!run)
		return ERR_PTR(-ENOMEM);
	run->buf = buf;
	run->capacity = req->nsamples;
	run->width = req->width;
	atomic64_set(&run->end, run->capacity);
	run->stacks = stacks;
	run->stacks_size = req->stacks_size;
	run->first_sample = req->first_sample;
	return run;
}
