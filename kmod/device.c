// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/profil: one static function per command, and the mapping. All in the
 * context of the calling process, on its own address space; the open file
 * itself has no state.
 *
 * Layer: entry, on lifetime and clock.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/profil.h>
#include <linux/profil_stacks.h>

#include "clock.h"
#include "compat.h"
#include "control.h"
#include "copy.h"
#include "device.h"
#include "enabled.h"
#include "mapping.h"
#include "profile.h"
#include "rate.h"
#include "request.h"
#include "start.h"
#include "unwind_current.h"

static int profil_ioc_histogram(struct file *file, void __user *arg)
{
	struct profil_histogram req;
	struct profil_call call = {
		.arg = arg, .req = &req, .size = sizeof(req), .page = &req.page,
	};
	int err;

	err = profil_copy_in_out(&req, sizeof(req), PROFIL_HISTOGRAM_SIZE_MIN, arg) ?:
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

	err = profil_copy_in_out(&req, sizeof(req), PROFIL_SAMPLES_SIZE_MIN, arg) ?:
	      profil_start_check(&call, req.rate, req.flags, req.last);
	return err ?: profil_start_call(file, &call, profil_request_samples(&req));
}

static int profil_stop_locked(struct profil *p, struct profil_status *last)
{
	int err = mutex_lock_killable(&p->control);

	if (err)
		return err;
	err = profil_stop(p, last);
	mutex_unlock(&p->control);
	return err;
}

/*
 * What @does does with @p, and what it says of it; where there is none that is
 * nothing. The reference is consumed.
 */
static int profil_report_of(const struct profil_report *report, struct profil *p,
			    int (*does)(struct profil *p, struct profil_status *status))
{
	struct profil_status status = {};
	int err = 0;

	if (p) {
		err = does(p, &status);
		profil_put(p);
	}
	return err ?: profil_report_send(report, &status, sizeof(status));
}

static int profil_ioc_stop(void __user *arg)
{
	struct profil_report report;
	int err = profil_report_open(&report, arg, PROFIL_STATUS_SIZE_MIN);

	return err ?: profil_report_of(&report, profil_get(current->mm),
				       profil_stop_locked);
}

static int profil_ioc_status(void __user *arg)
{
	struct profil_report report;
	int err = profil_report_open(&report, arg, PROFIL_STATUS_SIZE_MIN);

	return err ?: profil_report_of(&report, profil_get(current->mm),
				       profil_status_read);
}

/* The thread's ticks are the process's again, at whatever rate that is. */
static int profil_stop_own(struct profil *p, struct profil_status *last)
{
	int err = profil_stop_locked(p, last);

	if (!err)
		profil_clock_live(PROFIL_RATE_FAST);
	return err;
}

/* Of the thread's profile that the caller names. */
static int profil_ioc_thread(const void __user *arg,
			     int (*does)(struct profil *p, struct profil_status *status))
{
	struct profil_report report;
	struct profil_thread req;
	struct profil *p;
	int err;

	err = profil_copy_in(&req, sizeof(req), PROFIL_THREAD_SIZE_MIN, arg);
	if (err)
		return err;
	if (req.reserved)
		return -EINVAL;
	err = profil_report_open(&report, u64_to_user_ptr(req.status),
				 PROFIL_STATUS_SIZE_MIN);
	if (err)
		return err;
	p = req.page ? profil_get_at(req.page) : profil_get_own();
	return IS_ERR(p) ? PTR_ERR(p) : profil_report_of(&report, p, does);
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
		.stacks		= PROFIL_UNWIND_SUPPORTED ? PROFIL_STACKS_VERSION : 0,
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

static int profil_ioc_objects(struct file *file, const void __user *arg)
{
	struct profil_object_table req;
	int err = profil_copy_in(&req, sizeof(req), PROFIL_OBJECT_TABLE_SIZE_MIN, arg);

	return err ?: profil_objects_call(file, &req);
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
	case PROFIL_IOC_OBJECTS:
		return profil_ioc_objects(file, uarg);
	case PROFIL_IOC_THREAD_STATUS:
		return profil_ioc_thread(uarg, profil_status_read);
	case PROFIL_IOC_THREAD_STOP:
		return profil_ioc_thread(uarg, profil_stop_own);
	default:
		return -ENOTTY;
	}
}

/*
 * One page, read-only, shared: the mapping that carries a profile, the process's
 * at offset 0, the calling thread's own at that of the next page.
 */
static int profil_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct profil *p;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE || vma->vm_pgoff > 1)
		return -EINVAL;
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	p = profil_create(vma->vm_mm, vma->vm_start, vma->vm_pgoff);
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
