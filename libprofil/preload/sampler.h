/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's sample array, put over the profile file. */
#ifndef PRELOAD_SAMPLER_H
#define PRELOAD_SAMPLER_H

#include "file.h"

#include <linux/profil.h>

struct sampler {
	struct file			*file;
	uint64_t			base;	/* samples before this run */
	const struct profil_status	*page;	/* NULL: nothing runs */
	uint32_t			rate;	/* enum profil_rate */
	uint64_t			stacks;	/* bytes of them before this run */
	bool				stacking;	/* this run has some */
};

/* Where code is, for the stacks; 0 or an errno. @fd is the device, or -1. */
int sampler_set_objects(const struct profil_object *objects, uint32_t n, int fd);

/*
 * Starts, or goes on at sample @base, at the best rate that is granted and not
 * above the sampler's; 0 or an errno. With stacks, if the file has room for them
 * and the kernel makes them. @fd is the device, or -1.
 */
int sampler_start(struct sampler *sampler, struct file *file, uint64_t base, int fd);

/*
 * Stops if it is ours that runs, so that every sample until now is in the
 * file.
 */
void sampler_stop(struct sampler *sampler);

/* Stops whatever profile a fork child has from its parent. */
void sampler_discard(void);

/* Adds what the kernel says of this run to what the file says of all. */
void sampler_add_up(const struct sampler *sampler,
		    const struct profil_status *status);

/* How many samples there are. While it runs, the last few may be on the way. */
uint64_t sampler_position(const struct sampler *sampler);

/* Whether the array is what the kernel fills, or filled until it stopped. */
bool sampler_runs(const struct sampler *sampler);

/* The same; and if so, what the kernel says of it. */
bool sampler_status(const struct sampler *sampler, struct profil_status *status);

/* Whether the program has unmapped the page of what ran. */
bool sampler_is_gone(const struct sampler *sampler);

/* Whether a profile runs that is not ours. */
bool sampler_other_runs(void);

#endif
