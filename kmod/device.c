// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/profil: one static function per command, the mapping, and the checks of
 * what is common to the requests. All in the context of the calling process,
 * on its own address space; the open file itself has no state.
 *
 * Layer: entry, on lifetime and clock.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/profil.h>

#include "clock.h"
#include "clock_use.h"
#include "compat.h"
#include "control.h"
#include "copy.h"
#include "device.h"
#include "enabled.h"
#include "mapping.h"
#include "profile.h"
#include "rate.h"
#include "request.h"
#include "run.h"

#define PROFIL_REQUEST_FLAGS	(PROFIL_USER_ONLY | PROFIL_RANDOM)

static int profil_check_common(u32 rate, u32 flags)
{
	int err = profil_enabled_check();

	if (err)
		return err;
	if (flags & ~PROFIL_REQUEST_FLAGS)
		return -EINVAL;
	if (rate > PROFIL_RATE_FAST)
		return -EINVAL;
	if ((flags & PROFIL_RANDOM) && rate != PROFIL_RATE_FAST)
		return -EINVAL;
	return profil_clock_rates() & BIT(rate) ? 0 : -EACCES;
}

/*
 * The caller's profile, with a reference. If it has none, the mapping that
 * carries one is made; that another thread was first shows as EBUSY.
 */
static struct profil *profil_of_caller(struct file *file)
{
	unsigned long addr;
	struct profil *p;

	for (;;) {
		p = profil_get(current->mm);
		if (p)
			return p;
		if (fatal_signal_pending(current))
			return ERR_PTR(-EINTR);
		addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ, MAP_SHARED, 0);
		if (IS_ERR_VALUE(addr) && (long)addr != -EBUSY)
			return ERR_PTR(addr);
	}
}

/* Start @run in the caller's profile. */
static int profil_begin_in(struct profil *p, struct profil_run *run,
			   struct profil_status *last, __u64 *page)
{
	int err = mutex_lock_killable(&p->control);

	if (err)
		return err;
	err = profil_start(p, run, last);
	if (!err) {
		profil_enabled_recheck(p);
		*page = READ_ONCE(p->addr);
	}
	mutex_unlock(&p->control);
	return err;
}

/* Start @run, which is consumed. */
static int profil_begin(struct file *file, struct profil_run *run,
			struct profil_status *last, __u64 *page)
{
	u32 rate = run->rate;
	struct profil *p;
	int err = profil_clock_arm(rate);

	if (err)
		goto free;
	/* Another thread may unmap the page meanwhile: then a new one is made. */
	do {
		p = profil_of_caller(file);
		if (IS_ERR(p)) {
			err = PTR_ERR(p);
			break;
		}
		err = profil_begin_in(p, run, last, page);
		profil_put(p);
	} while (err == -ESTALE);
	if (err)
		goto disarm;
	profil_clock_live(rate);
	return 0;
disarm:
	profil_clock_put(rate);
free:
	profil_run_put(run);
	return err;
}

/*
 * Nobody was told that @run has started: memory that could be written when the
 * call began has gone. It ends again, if nobody has replaced it.
 */
static void profil_undo(struct profil_run *run)
{
	struct profil *p = profil_get(current->mm);
	struct profil_status ignored;

	if (!p)
		return;
	if (!mutex_lock_killable(&p->control)) {
		if (READ_ONCE(p->run) == run)
			profil_stop(p, &ignored);
		mutex_unlock(&p->control);
	}
	profil_put(p);
}

/* @last is the address of a struct profil_status, or 0. */
static int profil_open_last(struct profil_report *report, u64 last)
{
	if (!last)
		return 0;
	return profil_report_open(report, u64_to_user_ptr(last),
				  PROFIL_STATUS_SIZE_MIN);
}

/* A call that starts a run: its request, and where in it the page is told. */
struct profil_call {
	void __user		*arg;
	void			*req;
	size_t			size;
	__u64			*page;
	struct profil_report	report;
};

/* What both requests have in common, but for their runs. @last as in them. */
static int profil_start_check(struct profil_call *call, u32 rate, u32 flags,
			      u64 last)
{
	return profil_check_common(rate, flags) ?: profil_open_last(&call->report, last);
}

/* Start @run, which is consumed, or fail for its reason. */
static int profil_start_call(struct file *file, struct profil_call *call,
			     struct profil_run *run)
{
	struct profil_status last;
	int err;

	if (IS_ERR(run))
		return PTR_ERR(run);
	kref_get(&run->ref);
	err = profil_begin(file, run, &last, call->page);
	if (err)
		goto put;
	err = profil_copy_back(call->arg, call->req, call->size) ?:
	      profil_report_send(&call->report, &last, sizeof(last));
	if (err)
		profil_undo(run);
put:
	profil_run_put(run);
	return err;
}

static int profil_ioc_histogram(struct file *file, void __user *arg)
{
	struct profil_histogram req;
	struct profil_call call = {
		.arg = arg, .req = &req, .size = sizeof(req), .page = &req.page,
	};
	int err;

	err = profil_copy_in(&req, sizeof(req), PROFIL_HISTOGRAM_SIZE_MIN, arg) ?:
	      profil_start_check(&call, req.rate, req.flags, req.last);
	return err ?: profil_start_call(file, &call, profil_request_histogram(&req));
}

static int profil_ioc_samples(struct file *file, void __user *arg)
{
	struct profil_samples req;
	struct profil_call call = {
		.arg = arg, .req = &req, .size = sizeof(req), .page = &req.page,
	};
	int err;

	err = profil_copy_in(&req, sizeof(req), PROFIL_SAMPLES_SIZE_MIN, arg) ?:
	      profil_start_check(&call, req.rate, req.flags, req.last);
	return err ?: profil_start_call(file, &call, profil_request_samples(&req));
}

static int profil_ioc_stop(void __user *arg)
{
	struct profil_status last = {};
	struct profil_report report;
	struct profil *p;
	int err;

	err = profil_report_open(&report, arg, PROFIL_STATUS_SIZE_MIN);
	if (err)
		return err;
	p = profil_get(current->mm);
	if (!p)
		return profil_report_send(&report, &last, sizeof(last));
	err = mutex_lock_killable(&p->control);
	if (!err) {
		err = profil_stop(p, &last);
		mutex_unlock(&p->control);
	}
	profil_put(p);
	return err ?: profil_report_send(&report, &last, sizeof(last));
}

static int profil_ioc_status(void __user *arg)
{
	struct profil_status status = {};
	struct profil_report report;
	struct profil *p;
	int err;

	err = profil_report_open(&report, arg, PROFIL_STATUS_SIZE_MIN);
	if (err)
		return err;
	p = profil_get(current->mm);
	if (p) {
		err = profil_status_read(p, &status);
		profil_put(p);
		if (err)
			return err;
	}
	return profil_report_send(&report, &status, sizeof(status));
}

static int profil_ioc_features(void __user *arg)
{
	struct profil_features f = {
		.rates		= profil_enabled_check() ? 0 : profil_clock_rates(),
		.flags		= PROFIL_REQUEST_FLAGS,
		.region_flags	= PROFIL_REGION_CATCH_ALL,
		.widths		= 2 + 4 + 8,
		.indexes	= BIT(PROFIL_INDEX_BYTE_DOWN) |
				  BIT(PROFIL_INDEX_BYTE_UP) |
				  BIT(PROFIL_INDEX_ELEMENT),
		.limits		= BIT(PROFIL_LIMIT_SATURATE) |
				  BIT(PROFIL_LIMIT_WRAP) |
				  BIT(PROFIL_LIMIT_STOP),
		.faults		= BIT(PROFIL_FAULT_STOP_ALL) |
				  BIT(PROFIL_FAULT_STOP_REGION),
		.modes		= BIT(PROFIL_MODE_HISTOGRAM) |
				  BIT(PROFIL_MODE_SAMPLES),
		.max_regions	= profil_request_regions(),
	};
	struct profil_report report;
	u32 rate;
	int err;

	err = profil_report_open(&report, arg, PROFIL_FEATURES_SIZE_MIN);
	if (err)
		return err;
	for (rate = 0; rate < ARRAY_SIZE(f.period_ns); rate++)
		f.period_ns[rate] = profil_rate_period(rate);
	return profil_report_send(&report, &f, sizeof(f));
}

static long profil_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case PROFIL_IOC_FEATURES:
		return profil_ioc_features(uarg);
	case PROFIL_IOC_STATUS:
		return profil_ioc_status(uarg);
	case PROFIL_IOC_HISTOGRAM:
		return profil_ioc_histogram(file, uarg);
	case PROFIL_IOC_SAMPLES:
		return profil_ioc_samples(file, uarg);
	case PROFIL_IOC_STOP:
		return profil_ioc_stop(uarg);
	default:
		return -ENOTTY;
	}
}

/* One page, read-only, shared: the mapping that carries a profile. */
static int profil_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct profil *p;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE || vma->vm_pgoff)
		return -EINVAL;
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	p = profil_create(vma->vm_mm, vma->vm_start);
	if (IS_ERR(p))
		return PTR_ERR(p);
	vma->vm_private_data = p;
	vma->vm_ops = &profil_vm_ops;
	/* Cleared, not refused: READ_IMPLIES_EXEC asks for it in old programs. */
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYWRITE | VM_EXEC | VM_MAYEXEC);
	return 0;
}

static const struct file_operations profil_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= profil_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= profil_mmap,
	.llseek		= noop_llseek,
};

static struct miscdevice profil_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "profil",
	.fops	= &profil_fops,
	/* Whom else to let in is for a rule of udev to say. */
	.mode	= 0600,
};

int profil_device_init(void)
{
	return misc_register(&profil_device);
}

void profil_device_exit(void)
{
	misc_deregister(&profil_device);
}
