/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_REQUEST_H
#define _PROFIL_REQUEST_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uaccess.h>

struct file;
struct profil;
struct profil_histogram;
struct profil_run;
struct profil_samples;
struct profil_status;

/* All flags of a request. */
#define PROFIL_REQUEST_FLAGS	(PROFIL_USER_ONLY | PROFIL_RANDOM | PROFIL_THREAD | \
				 PROFIL_WAITS | PROFIL_LAZY | PROFIL_DONTFORK)

/**
 * struct profil_report - a structure in user memory that the kernel fills in.
 * @to:   its address; NULL: there is no report
 * @size: its size, as the caller knows it
 */
struct profil_report {
	void __user	*to;
	u32		size;
};

int profil_copy_in(void *req, u32 known, u32 min, const void __user *from);
int profil_copy_in_array(void *to, u32 known, const void __user *from, u32 n, u32 size);
int profil_copy_in_out(void *req, u32 known, u32 min, void __user *from);
int profil_report_open(struct profil_report *report, void __user *to, u32 min);
int profil_report_send(const struct profil_report *report, void *what, u32 known);
struct profil_run *profil_request_histogram(const struct profil_histogram *req);
struct profil_run *profil_request_samples(const struct profil_samples *req);
/* Most regions of a request. */
extern unsigned int profil_request_max_regions;

/* Can the process have memory at @addr? */
static inline bool profil_request_is_user(u64 addr, u64 size)
{
	u64 end = TASK_SIZE;

	if (!access_ok(u64_to_user_ptr(addr), size))
		return false;
	/* On some machines access_ok() knows only the limit of 64-bit processes. */
	return end > U32_MAX || addr + size <= end;
}

/* start_stop.c */

/**
 * struct profil_call - a call that starts a run.
 * @arg:    address of the request
 * @size:   bytes of the request
 * @page:   offset in the request of the page's address, an output
 * @report: for the counts of the run before
 */
struct profil_call {
	void __user		*arg;
	u32			size;
	u32			page;
	struct profil_report	report;
};

int profil_start_check(struct profil_call *call, u32 size, u32 rate, u32 flags, u64 last);
int profil_start(struct file *file, struct profil_call *call, struct profil_run *run);
int profil_stop(struct profil *p, struct profil_status *last);
int profil_status_read(struct profil *p, struct profil_status *status);

#endif /* _PROFIL_REQUEST_H */
