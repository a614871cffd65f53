/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_PAGE_H
#define _PROFIL_PAGE_H

#include <linux/types.h>

struct mm_struct;

/* How long a page may be waited for. */
enum profil_patience {
	PROFIL_TRY,	/* not for the mmap lock: on the way to user mode */
	PROFIL_WAIT,	/* until a fatal signal: in a call of the process's */
};

int profil_page_in(struct mm_struct *mm, u64 addr, unsigned int bytes,
		   enum profil_patience patience);
int profil_page_in_to_read(struct mm_struct *mm, u64 addr, unsigned int bytes);

#endif /* _PROFIL_PAGE_H */
