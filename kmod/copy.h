/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_COPY_H
#define _PROFIL_COPY_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct profil_report - where the caller wants a structure.
 * @to:   its address; NULL if nobody wants it.
 * @size: bytes of it that the caller knows.
 */
struct profil_report {
	void __user	*to;
	u32		size;
};

int profil_copy_in(void *req, u32 known, u32 min, const void __user *from);
int profil_copy_in_out(void *req, u32 known, u32 min, void __user *from);
int profil_copy_back(void __user *to, const void *req, u32 known);
int profil_report_open(struct profil_report *report, void __user *to, u32 min);
int profil_report_send(const struct profil_report *report, void *what, u32 known);

#endif /* _PROFIL_COPY_H */
