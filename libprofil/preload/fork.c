// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fork.h"
#include "file_create.h"
#include "file_log.h"
#include "file_room.h"
#include "gmon_counters.h"
#include "linker_list.h"
#include "objects.h"
#include "preload.h"
#include "process_file.h"

#include <errno.h>

/* Copies what the parent's file says of both. The profile may start later. */
static void copy_parent(const struct file *parent)
{
	struct profile_header *header = preload.file.header;

	header->parent = parent->header->pid;
	header->run = parent->header->run;
	header->unattended = parent->header->unattended;
	header->period_ns = parent->header->period_ns;
	header->rate = parent->header->rate;
	header->flags = parent->header->flags;
	file_log_copy(&preload.file, parent);
}

/* 0 or an errno; @anew as in begin_child(). */
static int begin_sampler(bool anew)
{
	int error;

	if (preload.taken) {
		file_log(&preload.file, PROFILE_TAKEN, 0, NULL, 0, NULL, 0);
		return 0;
	}
	error = sampler_start(&preload.sampler, &preload.file, 0, -1);
	if (!error && anew)
		objects_tell_again(&preload.file);
	return error;
}

/*
 * Gives the fork child a file of its own, or writes into the parent's why not. If the
 * parent had unmapped the status page (@anew), the child has inherited neither profile
 * nor table of objects.
 */
static void begin_child(const struct file *parent, bool anew)
{
	struct profile_header *header = parent->header;
	int error = process_file_create();

	if (error) {
		header->file_error = (uint32_t)error;
		__atomic_add_fetch(&header->unprofiled, 1, __ATOMIC_RELAXED);
		return;
	}
	copy_parent(parent);
	error = begin_sampler(anew);
	if (!error)
		return;
	header->start_error = (uint32_t)error;
	__atomic_add_fetch(&header->refused, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&header->unprofiled, 1, __ATOMIC_RELAXED);
	file_remove(&preload.file);
}

/*
 * The child inherits the profile but not the mapping of its sample array, so the
 * profile is replaced or stopped. A profile of the program's own goes on.
 */
static void inherit(void)
{
	/* Static: the only thread may be on a signal's stack, which is small. */
	static struct file parent;
	bool anew = sampler_is_gone(&preload.sampler);

	parent = preload.file;
	file_log_after_fork();
	linker_list_after_fork();
	objects_after_fork();
	preload.taken = preload.taken && sampler_other_runs();
	preload.file.header = NULL;
	preload.sampler.page = NULL;
	preload.sampler.base = 0;
	preload.sampler.stacks = 0;
	/* A child does not inherit mlockall(). */
	file_room_expect_locking(false);
	if (process_file_for_children())
		begin_child(&parent, anew);
	if (!preload.sampler.page && !preload.taken)
		sampler_discard();
	gmon_counters_after_fork(&parent);
	file_forget(&parent);
}

void fork_prepare(void)
{
	int error = errno;

	if (preload_has_file())
		gmon_counters_before_fork();
	errno = error;
}

void fork_child(void)
{
	int error = errno;

	if (file_is_there(&preload.file))
		inherit();
	errno = error;
}
