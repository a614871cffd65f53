// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fork.h"
#include "environment.h"
#include "file_log.h"
#include "file_room.h"
#include "gmon_counters.h"
#include "linker_list.h"
#include "objects.h"
#include "preload.h"
#include "process_file.h"

#include <errno.h>

/*
 * In the child of a fork: a file of its own. If its parent has unmapped the page, the
 * child has inherited no profile, and no table of objects with it.
 */
static void begin_child(struct file *parent, bool anew)
{
	if (process_file_create()) {
		__atomic_add_fetch(&parent->header->unprofiled, 1,
				   __ATOMIC_RELAXED);
		return;
	}
	preload.file.header->parent = parent->header->pid;
	preload.file.header->unattended = parent->header->unattended;
	file_log_copy(&preload.file, parent);
	if (preload.taken)
		file_log(&preload.file, PROFILE_TAKEN, 0, NULL, 0, NULL, 0);
	else if (!sampler_start(&preload.sampler, &preload.file, 0, -1) && anew)
		objects_tell_again(&preload.file);
}

/*
 * The profile that the child has inherited is over an array that it has not:
 * it is replaced or stopped. If it is the program's own, it goes on.
 */
static void inherit(void)
{
	/* There is one thread, perhaps on a signal's stack, which is small. */
	static struct file parent;
	bool anew = sampler_is_gone(&preload.sampler);

	parent = preload.file;
	linker_list_after_fork();
	objects_after_fork();
	preload.taken = preload.taken && sampler_other_runs();
	preload.file.header = NULL;
	preload.sampler.page = NULL;
	preload.sampler.base = 0;
	preload.sampler.stacks = 0;
	/* The child is not under its parent's mlockall(). */
	file_room_expect_locking(false);
	if (environment_wants_children())
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
