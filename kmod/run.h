/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_RUN_H
#define _PROFIL_RUN_H

#include <linux/bits.h>
#include <linux/kref.h>
#include <linux/types.h>
#include <linux/profil.h>

#include "region.h"

/* A compiled map, shared by the runs of a process and its fork children. */
struct profil_regions {
	struct kref		ref;
	u32			n;
	struct profil_map	*map;
};

/**
 * struct profil_run - one profile from its start to its stop.
 * @ref:        who looks at it: the profile; a fork that copies it.
 * @mode:       enum profil_mode.
 * @rate:       enum profil_rate.
 * @flags:      PROFIL_USER_ONLY, PROFIL_RANDOM.
 * @tag:        the caller's.
 * @regions:    of a histogram.
 * @stopped:    bit per region: its memory faulted.
 * @attention:  PROFIL_ATTENTION_*: what the ticks of a histogram look at.
 * @buf:        of a sample array.
 * @capacity:   elements in @buf.
 * @width:      bytes of an element.
 * @position:   next element to store; passes @capacity when the array is full.
 * @end:        elements from here on are not part of the result: @capacity, or
 *              the first one whose store faulted.
 * @ask:        samples from this position on have the thread called back.
 * @ahead:      up to this address the array has been brought in.
 * @stacks:     address of the stream of stacks, or 0.
 * @stacks_size: its bytes.
 * @first_sample: number that element 0 has in it.
 *
 * @stopped, @attention, @end, @ask and @ahead are changed under profil.lock.
 */
struct profil_run {
	struct kref		ref;
	u32			mode;
	u32			rate;
	u32			flags;
	u32			tag;
	struct profil_regions	*regions;
	unsigned long		*stopped;
	u32			attention;
	u64			buf;
	u64			capacity;
	u32			width;
	atomic64_t		position;
	atomic64_t		end;
	s64			ask;
	u64			ahead;
	u64			stacks;
	u64			stacks_size;
	u64			first_sample;
};

/* Some bit in @stopped is set; updates wait in slots. */
#define PROFIL_ATTENTION_STOPPED	BIT(0)
#define PROFIL_ATTENTION_WAITING	BIT(1)

struct profil_regions *profil_regions_alloc(u32 n);
void profil_regions_put(struct profil_regions *regions);

struct profil_run *profil_run_of_regions(u32 rate, u32 flags, u32 tag,
					 struct profil_regions *regions);
struct profil_run *profil_run_of_array(u32 rate, u32 flags, u32 tag, u64 buf,
				       u64 capacity, u32 width);
void profil_run_set_stacks(struct profil_run *run, u64 stacks, u64 size,
			   u64 first_sample);
struct profil_run *profil_run_fork(const struct profil_run *run);
void profil_run_put(struct profil_run *run);
u64 profil_run_nsamples(const struct profil_run *run);

#endif /* _PROFIL_RUN_H */
