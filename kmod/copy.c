// SPDX-License-Identifier: GPL-2.0-only
/*
 * Structures that begin with their size, as <linux/profil.h> says of them, from
 * and to the memory of the process that calls. Everything here may fault.
 *
 * Layer: ground.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/profil.h>

#include "copy.h"

static int profil_read_size(u32 *size, u32 min, const void __user *from)
{
	if (get_user(*size, (const u32 __user *)from))
		return -EFAULT;
	if (*size < min)
		return -EINVAL;
	return *size > PROFIL_SIZE_MAX ? -E2BIG : 0;
}

static int profil_touch(u8 __user *at)
{
	u8 byte;

	return get_user(byte, at) || put_user(byte, at) ? -EFAULT : 0;
}

/*
 * So that what cannot be delivered is known before anything is done. Of two
 * pages, each has the first or the last byte.
 */
static int profil_check_writable(u8 __user *to, u32 size)
{
	BUILD_BUG_ON(PROFIL_SIZE_MAX > PAGE_SIZE);
	return profil_touch(to) ?: profil_touch(to + size - 1);
}

/**
 * profil_copy_in() - copy in a structure that stays as it is.
 * @req:   a structure whose first member is its size, a u32. On success, that is
 *         what the caller has of it.
 * @known: sizeof(*@req)
 * @min:   bytes that it must have at least
 * @from:  the caller's
 *
 * Return: 0 or -EFAULT, -EINVAL, -E2BIG.
 */
int profil_copy_in(void *req, u32 known, u32 min, const void __user *from)
{
	u32 size;
	int err;

	err = profil_read_size(&size, min, from);
	if (err)
		return err;
	err = copy_struct_from_user(req, known, from, size);
	if (err)
		return err;
	/* Another thread may have changed it since it was checked. */
	*(u32 *)req = size;
	return 0;
}

/* Likewise one that will be answered in place: it must be writable. */
int profil_copy_in_out(void *req, u32 known, u32 min, void __user *from)
{
	return profil_copy_in(req, known, min, from) ?:
	       profil_check_writable(from, *(u32 *)req);
}

/* Copy back what the caller has of @req; 0 or -EFAULT. */
int profil_copy_back(void __user *to, const void *req, u32 known)
{
	return copy_to_user(to, req, min(*(const u32 *)req, known)) ? -EFAULT : 0;
}

/**
 * profil_report_open() - look at a structure that is to be filled in later.
 * @report: out, for profil_report_send()
 * @to:     the caller's. Its size, the first member, is read; all of it must be
 *          writable, and stays as it is.
 * @min:    bytes that it must have at least
 *
 * Return: 0 or -EFAULT, -EINVAL, -E2BIG.
 */
int profil_report_open(struct profil_report *report, void __user *to, u32 min)
{
	report->to = to;
	return profil_read_size(&report->size, min, to) ?:
	       profil_check_writable(to, report->size);
}

/*
 * Fill it in with @what, of @known bytes, which gets the size that arrives. 0
 * or -EFAULT.
 */
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
