/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_RUN_H
#define _PROFIL_RUN_H

#include <linux/bits.h>
#include <linux/kref.h>
#include <linux/types.h>
#include <linux/profil.h>

#include "region.h"

/* A compiled map, which the runs of a process and of its fork children share. */
struct profil_regions {
	struct kref		ref;
	struct profil_map	map;
};

/**
 * struct profil_run - one profile from its start to its stop.
 * @ref:        held by the profile, a start, and a fork that copies the run.
 * @mode:       enum profil_mode.
 * @rate:       enum profil_rate.
 * @flags:      PROFIL_USER_ONLY, PROFIL_RANDOM and so on.
 * @tag:        tag of the request.
 * @attention:  histogram: PROFIL_ATTENTION_*, which ticks check.
 * @width:      bytes of an element of the sample array.
 * @id:         no two runs have the same.
 * @regions:    regions of a histogram.
 * @buf:        address of the sample array.
 * @capacity:   elements in @buf.
 * @position:   next element to store; passes @capacity when the array is full.
 * @end:        the samples end here: @capacity, or the first element whose store
 *              faulted.
 * @ask:        samples from this position on push a callback to their thread.
 * @ahead:      the array has been brought in up to this address.
 * @stacks:     address of the stream of stacks, or 0.
 * @stacks_size: bytes of the stream.
 * @first_sample: number of element 0 in the stream.
 * @stopped:    bit per region: its memory faulted.
 *
 * @stopped, @attention, @end, @ask and @ahead are changed under profil.lock.
 */
struct profil_run {
	struct kref		ref;
	u32			mode;
	u32			rate;
	u32			flags;
	u32			tag;
	u32			attention;
	u32			width;
	u64			id;
	struct profil_regions	*regions;
	u64			buf;
	u64			capacity;
	atomic64_t		position;
	atomic64_t		end;
	s64			ask;
	u64			ahead;
	u64			stacks;
	u64			stacks_size;
	u64			first_sample;
	unsigned long		stopped[];
};

/* A bit in @stopped is set; updates wait. */
#define PROFIL_ATTENTION_STOPPED	BIT(0)
#define PROFIL_ATTENTION_WAITING	BIT(1)

struct profil_regions *profil_regions_alloc(u32 n);
void profil_regions_put(struct profil_regions *regions);

struct profil_run *profil_run_alloc(u32 mode, u32 rate, u32 flags, u32 tag,
				    struct profil_regions *regions);
struct profil_run *profil_run_fork(const struct profil_run *run);
void profil_run_put(struct profil_run *run);
u64 profil_run_nsamples(const struct profil_run *run);

#endif /* _PROFIL_RUN_H */
