// SPDX-License-Identifier: GPL-2.0-only
/*
 * Brings a page of the process's memory in, as a store or load of the process
 * would, but changes no byte. The process itself calls it, with no lock held. So the
 * process's rights apply, and its time and memory are charged.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/userfaultfd_k.h>
#include <asm/mmu_context.h>

#include "profile.h"

/*
 * Faults in local memory end in finite time without the help of a process:
 * anonymous memory, tmpfs, files on a local disk. Not FUSE, a network, or a device.
 */
static bool is_local(struct vm_area_struct *vma)
{
	const struct super_block *sb;

	/* Private mappings of /dev/zero are anonymous and have a file. */
	if (vma_is_anonymous(vma))
		return true;
	if (!vma->vm_file || !S_ISREG(file_inode(vma->vm_file)->i_mode))
		return false;
	sb = file_inode(vma->vm_file)->i_sb;
	if (sb->s_magic == TMPFS_MAGIC || sb->s_magic == RAMFS_MAGIC ||
	    sb->s_magic == HUGETLBFS_MAGIC)
		return true;
	return (sb->s_type->fs_flags & FS_REQUIRES_DEV) &&
	       sb->s_magic != FUSE_SUPER_MAGIC;
}

/*
 * Refuse a driver's memory, and memory under userfaultfd: the faulting thread may
 * be the one that handles its faults.
 */
static int check_area(struct vm_area_struct *vma, bool write)
{
	if (!vma || !(vma->vm_flags & (write ? VM_WRITE : VM_READ)) ||
	    vma->vm_flags & (VM_IO | VM_PFNMAP) || userfaultfd_armed(vma))
		return -EFAULT;
	/* Each thread has its own protection keys. */
	return arch_vma_access_permitted(vma, write, false, false) ? 0 : -EACCES;
}

/*
 * For local memory the mmap lock is held throughout, so the area that was checked
 * cannot change. Otherwise a fault may release the lock. Then a fatal signal ends the
 * wait, and an area that changed is checked again (-EBUSY).
 */
static int fault_in(struct mm_struct *mm, struct vm_area_struct *vma,
		    unsigned long addr, bool write)
{
	unsigned int flags = write ? FAULT_FLAG_WRITE : 0;
	bool unlocked = false;
	int err;

	/* check_area() has refused them. */
	if (WARN_ON_ONCE(vma->vm_flags & (VM_IO | VM_PFNMAP)))
		return -EFAULT;
	if (is_local(vma))
		return fixup_user_fault(mm, addr, flags, NULL);
	if (!write)
		return -EFAULT;
	err = fixup_user_fault(mm, addr, flags, &unlocked);
	return err == -EFAULT && unlocked ? -EBUSY : err;
}

static int bring_in_one(struct mm_struct *mm, unsigned long addr, bool write,
			enum profil_patience patience)
{
	struct vm_area_struct *vma;
	int err;

	if (patience == PROFIL_WAIT) {
		if (mmap_read_lock_killable(mm))
			return -EINTR;
	} else if (!mmap_read_trylock(mm)) {
		return -EAGAIN;
	}
	vma = vma_lookup(mm, addr);
	err = check_area(vma, write);
	if (!err)
		err = fault_in(mm, vma, addr, write);
	mmap_read_unlock(mm);
	return err;
}

/*
 * Make memory of the caller's own address space present: @bytes, at most a page. @write makes
 * it writable too; otherwise only local memory is brought in. @patience says whether to wait
 * for the mmap lock. The memory may be gone again when the call returns.
 *
 * 0; -EFAULT: the process cannot access it, or must not be made to wait for it; -EACCES: this
 * thread's protection keys forbid it; -EAGAIN: the mmap lock is taken; -EINTR: a fatal signal;
 * -EBUSY: the area changed meanwhile; -ENOMEM.
 */
int profil_page_in(struct mm_struct *mm, u64 addr, unsigned int bytes, bool write,
		   enum profil_patience patience)
{
	int err;

	might_sleep();
	if (WARN_ON_ONCE(mm != current->mm || !bytes || bytes > PAGE_SIZE))
		return -EFAULT;
	err = bring_in_one(mm, addr, write, patience);
	if (!err && offset_in_page(addr) + bytes > PAGE_SIZE)
		err = bring_in_one(mm, addr + bytes - 1, write, patience);
	return err;
}
