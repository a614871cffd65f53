/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_START_H
#define _PROFIL_START_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "copy.h"

struct file;
struct profil_object_table;
struct profil_run;

/* The flags that a request may have. */
#define PROFIL_REQUEST_FLAGS	(PROFIL_USER_ONLY | PROFIL_RANDOM | PROFIL_THREAD)

/**
 * struct profil_call - a call that starts a run.
 * @arg:    the address of its request
 * @req:    a copy of that
 * @size:   bytes of @req
 * @page:   where in @req the page's address is told
 * @report: where it wants the counts of what ran before
 */
struct profil_call {
	void __user		*arg;
	void			*req;
	size_t			size;
	__u64			*page;
	struct profil_report	report;
};

int profil_start_check(struct profil_call *call, u32 rate, u32 flags, u64 last);
int profil_start_call(struct file *file, struct profil_call *call,
		      struct profil_run *run);
int profil_objects_call(struct file *file, const struct profil_object_table *req);

#endif /* _PROFIL_START_H */
