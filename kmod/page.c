// SPDX-License-Identifier: GPL-2.0-only
/*
 * Brings a page of the process's memory in, as a store of the process's own, or a
 * load, would, but changes no byte of it. Called by the process itself, with no lock
 * held: with its own rights, and on its own account.
 *
 * Layer: ground.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/userfaultfd_k.h>
#include <asm/mmu_context.h>

#include "compat.h"
#include "page.h"

/*
 * Faults here end in finite time without any process's help: anonymous memory,
 * tmpfs, or a file on a local disk. Not FUSE, a network, or a device.
 */
static bool profil_vma_is_local(struct vm_area_struct *vma)
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
 * Nothing of a driver's, and nothing that userfaultfd answers for: any thread
 * may find itself here, also the one that would have to give the answer.
 */
static int profil_vma_check(struct vm_area_struct *vma, bool write)
{
	if (!vma || !(vma->vm_flags & (write ? VM_WRITE : VM_READ)))
		return -EFAULT;
	if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		return -EFAULT;
	if (userfaultfd_armed(vma))
		return -EFAULT;
	/* Protection keys are each thread's own. */
	return arch_vma_access_permitted(vma, write, false, false) ? 0 : -EACCES;
}

/*
 * While local memory is brought in, the mmap lock is kept, so that the area
 * stays the one that was checked. It is let go while others work for us; then
 * a fatal signal ends the wait, and an area that changed is looked at anew.
 */
static int profil_vma_fault(struct mm_struct *mm, struct vm_area_struct *vma,
			    unsigned long addr)
{
	bool unlocked = false;
	int err;

	if (profil_vma_is_local(vma))
		return fixup_user_fault(mm, addr, FAULT_FLAG_WRITE, NULL);
	err = fixup_user_fault(mm, addr, FAULT_FLAG_WRITE, &unlocked);
	return err == -EFAULT && unlocked ? -EBUSY : err;
}

static int profil_page_in_one(struct mm_struct *mm, unsigned long addr,
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
	err = profil_vma_check(vma, true);
	if (!err)
		err = profil_vma_fault(mm, vma, addr);
	mmap_read_unlock(mm);
	return err;
}

/**
 * profil_page_in() - make user memory present and writable.
 * @mm:       the caller's own
 * @addr:     user address
 * @bytes:    that are to be written there, at most a page
 * @patience: whether to wait for the mmap lock
 *
 * It may be gone again when the call returns.
 *
 * Return: 0; -EFAULT: the process could not write there, or must not be made
 * to wait for it; -EACCES: this thread's protection keys forbid it; -EAGAIN:
 * the mmap lock is taken; -EINTR: a fatal signal; -EBUSY: the area changed
 * meanwhile; -ENOMEM.
 */
int profil_page_in(struct mm_struct *mm, u64 addr, unsigned int bytes,
		   enum profil_patience patience)
{
	int err;

	might_sleep();
	if (WARN_ON_ONCE(mm != current->mm || !bytes || bytes > PAGE_SIZE))
		return -EFAULT;
	err = profil_page_in_one(mm, addr, patience);
	if (!err && offset_in_page(addr) + bytes > PAGE_SIZE)
		err = profil_page_in_one(mm, addr + bytes - 1, patience);
	return err;
}

static int profil_page_in_one_to_read(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;
	int err;

	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	vma = vma_lookup(mm, addr);
	err = profil_vma_check(vma, false);
	if (!err)
		err = profil_vma_is_local(vma) ? fixup_user_fault(mm, addr, 0, NULL)
					       : -EFAULT;
	mmap_read_unlock(mm);
	return err;
}

/**
 * profil_page_in_to_read() - make user memory present, if that is soon done.
 * @mm:    the caller's own
 * @addr:  user address
 * @bytes: that are to be read there, at most a page
 *
 * Neither the mmap lock is waited for, nor what is not local memory.
 *
 * Return: 0; -EFAULT, -EACCES, -ENOMEM, -EAGAIN: not done.
 */
int profil_page_in_to_read(struct mm_struct *mm, u64 addr, unsigned int bytes)
{
	int err;

	might_sleep();
	if (WARN_ON_ONCE(mm != current->mm || !bytes || bytes > PAGE_SIZE))
		return -EFAULT;
	err = profil_page_in_one_to_read(mm, addr);
	if (!err && offset_in_page(addr) + bytes > PAGE_SIZE)
		err = profil_page_in_one_to_read(mm, addr + bytes - 1);
	return err;
}
