/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the kernel's sample array in the mapped profile file. */
#ifndef PRELOAD_SAMPLER_H
#define PRELOAD_SAMPLER_H

#include "file.h"

#include <linux/profil.h>

struct sampler {
	struct file			*file;
	uint64_t			base;	/* samples before this run */
	const struct profil_status	*page;	/* NULL: nothing runs */
	uint32_t			rate;	/* enum profil_rate */
	uint64_t			stacks;	/* stack bytes before this run */
	bool				stacking;	/* this run has stacks */
	bool				waits;	/* wanted, if there are stacks */
};

/* Gives the kernel its table of objects; 0 or an errno. @fd is the device, or -1. */
int sampler_set_objects(const struct profil_object *objects, uint32_t n, int fd);

/* The path of the file that is mapped at @address. @fd is the device, or -1. */
bool sampler_mapped_path(uint64_t address, char *path, uint32_t size, int fd);

/*
 * Starts at sample @base, at the best granted rate that is not above the sampler's, which
 * it becomes; 0 or an errno. Stacks are included if the file has room for them and the kernel
 * makes them; and waits, if they are wanted and the kernel can. @fd is the device, or -1.
 */
int sampler_start(struct sampler *sampler, struct file *file, uint64_t base, int fd);

/*
 * Stops our profile, if it runs. All samples until now are then in the file. False: it did not
 * run, or goes on, as there was no device. @fd is the device, or -1.
 */
bool sampler_stop(struct sampler *sampler, int fd);

/* The same without the device, by mapping zeroes over its page. Some of the last ticks are not counted. */
void sampler_end(struct sampler *sampler);

/* Adds the kernel's counts of this run to the file's header. */
void sampler_add_up(const struct sampler *sampler,
		    const struct profil_status *status);

/* Number of samples. While the profile runs, the last few may still be missing. */
uint64_t sampler_position(const struct sampler *sampler);

/* Whether our profile runs, or ran last and the kernel stopped it. */
bool sampler_runs(const struct sampler *sampler);

/* The same; if true, also copies the profile's status. */
bool sampler_status(const struct sampler *sampler, struct profil_status *status);

/* Whether the program has unmapped our profile's status page. */
bool sampler_is_gone(const struct sampler *sampler);

/* Whether another profile than ours runs. */
bool sampler_other_runs(void);

#endif
