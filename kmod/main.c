// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil.ko: loading, unloading, and /dev/profil, with one function for each
 * command. Commands work on the address space of the calling process; the open
 * file has no state.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "request.h"
#include "stack/shared_rules.h"
#include "stack/stack.h"
#include "tick/tick.h"

static int ioc_histogram(struct file *file, void __user *arg)
{
	struct profil_histogram req;
	struct profil_call call = { .arg = arg, .page = offsetof(typeof(req), page) };
	int err = profil_copy_in_out(&req, sizeof(req), PROFIL_HISTOGRAM_SIZE_MIN, arg) ?:
		  profil_start_check(&call, req.size, req.rate, req.flags, req.last);

	return err ?: profil_start(file, &call, profil_request_histogram(&req));
}

static int ioc_samples(struct file *file, void __user *arg)
{
	struct profil_samples req;
	struct profil_call call = { .arg = arg, .page = offsetof(typeof(req), page) };
	int err = profil_copy_in_out(&req, sizeof(req), PROFIL_SAMPLES_SIZE_MIN, arg) ?:
		  profil_start_check(&call, req.size, req.rate, req.flags, req.last);

	return err ?: profil_start(file, &call, profil_request_samples(&req));
}

/* Call @does for @p, unless it is NULL, and report its status. Drops the reference. */
static int report_of(const struct profil_report *report, struct profil *p,
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

/* A command on the process's profile. */
static int ioc_process(void __user *arg,
		       int (*does)(struct profil *p, struct profil_status *status))
{
	struct profil_report report;
	int err = profil_report_open(&report, arg, PROFIL_STATUS_SIZE_MIN);

	return err ?: report_of(&report, profil_get(false), does);
}

/* Stop a thread's profile. The process's, of whatever rate, gets the thread's ticks again. */
static int stop_own(struct profil *p, struct profil_status *last)
{
	int err = profil_stop(p, last);

	if (!err)
		profil_timer_live(PROFIL_RATE_FAST, 0);
	return err;
}

/* A command on the profile of a thread that the caller names. */
static int ioc_thread(const void __user *arg,
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
	p = req.page ? profil_mapping_get_at(req.page) : profil_get(true);
	return IS_ERR(p) ? PTR_ERR(p) : report_of(&report, p, does);
}

static int ioc_features(void __user *arg)
{
	struct profil_features f = {
		.rates		= profil_admin_switch_check() ? 0 : profil_clock_rates(),
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
		.max_regions	= READ_ONCE(profil_request_max_regions),
		.stacks		= PROFIL_HAS_STACKS ? profil_stack_version() : 0,
	};
	struct profil_report report;
	u32 rate;
	int err;

	err = profil_report_open(&report, arg, PROFIL_FEATURES_SIZE_MIN);
	if (err)
		return err;
	if (!f.stacks || !profil_clock_switches)
		f.flags &= ~PROFIL_WAITS;
	for (rate = 0; rate < ARRAY_SIZE(f.period_ns); rate++)
		f.period_ns[rate] = profil_clock_period(rate);
	return profil_report_send(&report, &f, sizeof(f));
}

/* The file that is mapped at @address, with a reference. Error pointers: ENOENT, EINTR. */
static struct file *mapped_file(unsigned long address)
{
	struct file *file = NULL;
	struct vm_area_struct *vma;

	if (mmap_read_lock_killable(current->mm))
		return ERR_PTR(-EINTR);
	vma = vma_lookup(current->mm, address);
	if (vma && vma->vm_file)
		file = get_file(vma->vm_file);
	mmap_read_unlock(current->mm);
	return file ?: ERR_PTR(-ENOENT);
}

static int send_path(const struct profil_path *req, struct file *file, char *room)
{
	char *path = d_path(profil_user_path(file), room, req->bytes);

	if (IS_ERR(path))
		return PTR_ERR(path);
	return copy_to_user(u64_to_user_ptr(req->path), path, strlen(path) + 1) ? -EFAULT : 0;
}

/*
 * Each program that starts with the preload library asks for its path. /proc/self/exe costs
 * ten times as much, as procfs makes its inodes.
 */
static int ioc_path(const void __user *arg)
{
	struct profil_path req;
	struct file *file;
	char *room;
	int err = profil_copy_in(&req, sizeof(req), PROFIL_PATH_SIZE_MIN, arg);

	if (err)
		return err;
	if (req.bytes > PATH_MAX)
		return -EINVAL;
	file = mapped_file(req.address);
	if (IS_ERR(file))
		return PTR_ERR(file);
	room = kmalloc(req.bytes, GFP_KERNEL_ACCOUNT);
	err = room ? send_path(&req, file, room) : -ENOMEM;
	kfree(room);
	fput(file);
	return err;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case PROFIL_IOC_FEATURES:
		return ioc_features(uarg);
	case PROFIL_IOC_STATUS:
		return ioc_process(uarg, profil_status_read);
	case PROFIL_IOC_HISTOGRAM:
		return ioc_histogram(file, uarg);
	case PROFIL_IOC_SAMPLES:
		return ioc_samples(file, uarg);
	case PROFIL_IOC_STOP:
		return ioc_process(uarg, profil_stop);
	case PROFIL_IOC_OBJECTS:
		return PROFIL_HAS_STACKS ? profil_object_table_replace(file, uarg) : -EINVAL;
	case PROFIL_IOC_THREAD_STATUS:
		return ioc_thread(uarg, profil_status_read);
	case PROFIL_IOC_THREAD_STOP:
		return ioc_thread(uarg, stop_own);
	case PROFIL_IOC_PATH:
		return ioc_path(uarg);
	default:
		return -ENOTTY;
	}
}

/*
 * The mapping that carries a profile is one page, read-only and shared. Offset 0
 * makes the process's profile, offset PAGE_SIZE the calling thread's.
 */
static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct profil *p;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE || vma->vm_pgoff > 1 ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	p = profil_mapping_create(vma->vm_start, vma->vm_pgoff);
	if (IS_ERR(p))
		return PTR_ERR(p);
	vma->vm_private_data = p;
	vma->vm_ops = &profil_vm_ops;
	/* Cleared, not refused: READ_IMPLIES_EXEC sets VM_EXEC for old programs. */
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYWRITE | VM_EXEC | VM_MAYEXEC);
	return 0;
}

/*
 * All mappings of an inode share its lock i_mmap_rwsem. A process that hardly runs
 * could hold it and delay the starts of all others. So each open file has an address
 * space, with a lock, of its own. It never has pages.
 */
static int device_open(struct inode *inode, struct file *file)
{
	struct address_space *mapping = kmalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);

	/* docs/security.md states the memory of an open file. */
	BUILD_BUG_ON(!IS_ENABLED(CONFIG_LOCKDEP) && sizeof(*mapping) > 256);
	if (!mapping)
		return -ENOMEM;
	address_space_init_once(mapping);
	mapping->host = inode;
	/* Not the inode's: those of some file systems (9p, ocfs2) would read pages in. */
	mapping->a_ops = &empty_aops;
	file->f_mapping = mapping;
	return 0;
}

/* Each mapping holds the file, so none is left. */
static int device_release(struct inode *inode, struct file *file)
{
	WARN_ON_ONCE(!RB_EMPTY_ROOT(&file->f_mapping->i_mmap.rb_root));
	kfree(file->f_mapping);
	return 0;
}

/*
 * If the inode had a lock, each close would take file_rwsem, which a process that reads
 * /proc/locks and hardly runs could hold.
 */
static int device_refuse_lock(struct file *file, int cmd, struct file_lock *lock)
{
	return -EINVAL;
}

static const struct file_operations profil_fops = {
	.owner		= THIS_MODULE,
	.open		= device_open,
	.release	= device_release,
	.unlocked_ioctl	= device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= device_mmap,
	.llseek		= noop_llseek,
	.lock		= device_refuse_lock,
	.flock		= device_refuse_lock,
};

/*
 * Not a miscdevice: those share a mutex, which is held in open(). A process that hardly
 * runs could hold it and delay the opens of all others.
 */
static struct class profil_class = {
	.name	= "profil",
};

static int device_major;

/* The node has mode 0600. A udev rule may give others access. */
static int __init device_register_node(void)
{
	struct device *node;
	int err;

	device_major = register_chrdev(0, "profil", &profil_fops);
	if (device_major < 0)
		return device_major;
	err = class_register(&profil_class);
	if (err)
		goto unregister;
	node = device_create(&profil_class, NULL, MKDEV(device_major, 0), NULL, "profil");
	if (!IS_ERR(node))
		return 0;
	err = PTR_ERR(node);
	class_unregister(&profil_class);
unregister:
	unregister_chrdev(device_major, "profil");
	return err;
}

static void __exit device_unregister_node(void)
{
	device_destroy(&profil_class, MKDEV(device_major, 0));
	class_unregister(&profil_class);
	unregister_chrdev(device_major, "profil");
}

static int __init profil_init(void)
{
	int err;

	profil_clock_init();
	if (PROFIL_HAS_STACKS)
		profil_shared_rules_init();
	err = profil_alloc_init();
	if (err)
		return err;
	err = profil_source_init();
	if (err)
		goto exit_alloc;
	err = profil_mapping_init();
	if (err)
		goto exit_source;
	err = device_register_node();
	if (err)
		goto exit_mapping;
	return 0;
exit_mapping:
	profil_mapping_exit();
exit_source:
	profil_source_exit();
exit_alloc:
	profil_alloc_exit();
	return err;
}

static void __exit profil_exit(void)
{
	device_unregister_node();
	/*
	 * Open files and profiles held the module. A callback that dropped the last
	 * reference may still be in the module's code.
	 */
	synchronize_rcu_tasks();
	/* The last profiles are freed after a grace period. */
	rcu_barrier();
	profil_source_exit();
	profil_mapping_exit();
	profil_alloc_exit();
}

module_init(profil_init);
module_exit(profil_exit);

MODULE_DESCRIPTION("Program-counter profiling by the clock tick: profil(2), sprofil(2), pcsample(2)");
MODULE_LICENSE("GPL");
MODULE_VERSION(PROFIL_VERSION);
