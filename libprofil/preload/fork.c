// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fork.h"
#include "file_create.h"
#include "file_log.h"
#include "file_room.h"
#include "gmon_counters.h"
#include "large.h"
#include "linker_list.h"
#include "objects.h"
#include "preload.h"
#include "process_file.h"
#include "system.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/*
 * What the child needs of its parent's file, noted before the fork: a look at the file itself
 * takes the child page faults and tables. Written only if it has changed, as each write after
 * a fork copies the page. A log that is too long for it is read in the file.
 */
static struct {
	bool			there;	/* the file is mapped */
	bool			anew;	/* the status page is not */
	struct profile_header	header;
	_Alignas(8) char	log[8192];
} noted LARGE;

/*
 * Not memcmp(), which nothing else here calls before: the dynamic linker would look it up in
 * the first fork. That takes 3 KiB of stack, and a signal handler's may be small.
 */
static bool is_noted(const struct profile_header *now)
{
	const uint64_t *a = (const void *)now, *b = (const void *)&noted.header;
	size_t i = 0, n = sizeof(*now) / sizeof(*a);

	while (i < n && a[i] == b[i])
		i++;
	return i == n;
}

/* Another thread may fork meanwhile: the log, which only grows, is complete before its length. */
static void note_file(const struct profile_header *header)
{
	struct profile_header now = *header;

	/* Pairs with write_record(). */
	atomic_thread_fence(memory_order_acquire);
	if (is_noted(&now))
		return;
	if (now.log_used <= sizeof(noted.log))
		memcpy(noted.log, preload.file.log, now.log_used);
	atomic_thread_fence(memory_order_release);
	noted.header = now;
}

/* Whether the child will have the file's header and log. If not, the file says so. */
static bool share(void)
{
	struct profile_header *header = preload.file.header;

	if (!file_is_there(&preload.file))
		return false;
	if (file_room_share(&preload.file))
		return true;
	if (process_file_for_children()) {
		header->file_error = (uint32_t)errno;
		__atomic_add_fetch(&header->unprofiled, 1, __ATOMIC_RELAXED);
	}
	return false;
}

static void note(void)
{
	bool there = share();
	bool anew = there && sampler_is_gone(&preload.sampler);

	if (noted.there != there)
		noted.there = there;
	if (noted.anew != anew)
		noted.anew = anew;
	if (there)
		note_file(preload.file.header);
}

static const char *log_of(const struct profile_header *parent)
{
	return noted.header.log_used <= sizeof(noted.log) ? noted.log :
							    (const char *)parent + FILE_LOG_AT;
}

/* Copies what the parent's file says of both. The profile may start later. */
static void copy_parent(const struct profile_header *parent_in_file)
{
	const struct profile_header *parent = &noted.header;
	struct profile_header *header = preload.file.header;

	header->parent = parent->pid;
	header->run = parent->run;
	header->unattended = parent->unattended;
	header->period_ns = parent->period_ns;
	header->rate = parent->rate;
	header->flags = parent->flags;
	file_log_copy(&preload.file, log_of(parent_in_file), parent->log_used);
}

/* 0 or an errno; @page as in begin_child(). */
static int begin_sampler(const void *page)
{
	int error;

	if (preload.taken) {
		file_log(&preload.file, PROFILE_TAKEN, 0, NULL, 0, NULL, 0);
		return 0;
	}
	error = sampler_start(&preload.sampler, &preload.file, 0, -1);
	if (error)
		return error;
	if (preload.sampler.page != page)
		objects_forget_table();
	objects_tell_child(&preload.file);
	return 0;
}

/*
 * Gives the fork child a file of its own, or writes into the parent's why not. @page is the
 * parent's status page: NULL if it was unmapped. A child that has another has inherited neither
 * profile nor table of objects. A child that goes on with mlockall() would lock all of its file, so
 * the file is small until the call has ended, which it never does if the child jumps out of it.
 */
static void begin_child(struct profile_header *parent, const void *page)
{
	int error = process_file_create(file_log_copied(log_of(parent), noted.header.log_used));

	if (error) {
		parent->file_error = (uint32_t)error;
		__atomic_add_fetch(&parent->unprofiled, 1, __ATOMIC_RELAXED);
		return;
	}
	copy_parent(parent);
	if (atomic_load(&preload.file.changing))
		file_room_fold(&preload.file, FILE_ROOM_MEANWHILE);
	error = begin_sampler(page);
	if (!error)
		return;
	parent->start_error = (uint32_t)error;
	__atomic_add_fetch(&parent->refused, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&parent->unprofiled, 1, __ATOMIC_RELAXED);
	file_create_undo(&preload.file);
}

/* The parent's profile is off here (PROFIL_DONTFORK). One of the program's own goes on. */
static void inherit(void)
{
	struct profile_header *parent = preload.file.header;
	const void *page = noted.anew ? NULL : preload.sampler.page;
	/* Another thread may have folded the file since note(). */
	size_t mapped = FILE_LOG_AT + preload.file.log_room;
	uintptr_t changing = atomic_load(&preload.file.changing);

	gmon_counters_after_fork(&preload.file);
	/* Another thread of the parent may have been writing, or changing the mapping. */
	atomic_flag_clear(&preload.file.writing);
	/* If this thread has the turn, the child goes on with it, from a signal handler. */
	if (changing && changing != (uintptr_t)pthread_self())
		atomic_store(&preload.file.changing, 0);
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
		begin_child(parent, page);
	if (!preload.file.header)
		gmon_counters_without_file();
	/* A function that its parent has not called would be looked up in each child. */
	syscall(SYS_munmap, parent, mapped);
}

void fork_prepare(void)
{
	int error = errno;

	note();
	if (noted.there && noted.header.pid == (uint32_t)system_getpid())
		gmon_counters_before_fork();
	errno = error;
}

void fork_child(void)
{
	int error = errno;

	if (noted.there)
		inherit();
	/* It is not mapped here. Where a filter refuses futexes, file_is_there() does not know. */
	else if (preload.file.header)
		preload.file.header = NULL;
	errno = error;
}
