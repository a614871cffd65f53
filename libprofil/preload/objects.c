// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The objects in memory, from the dynamic linker's own list: no system call,
 * and build IDs come with it. The log has them for readers; the kernel has a
 * table of them, to follow stacks by their call frame information.
 */
#include "objects.h"
#include "file_log.h"
#include "file_room.h"
#include "linker_list.h"
#include "loaded_code.h"
#include "object_identity.h"
#include "sampler.h"

#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

/* As the kernel takes them: by address. */
static struct profil_object known[PROFIL_OBJECTS_MAX];
/* Of each, the pass that saw it last. */
static unsigned int seen[PROFIL_OBJECTS_MAX];
static unsigned int nknown, pass;
static bool changed;
static unsigned long long adds, subs;
static atomic_int busy;

struct visit {
	struct file	*file;
	uint64_t	sample;
	bool		first;	/* the program itself comes first */
	bool		done;	/* nothing has changed */
};

/* The first that does not begin before @start. */
static unsigned int place_of(uint64_t start)
{
	unsigned int low = 0, high = nknown;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (known[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* True if it was there in an earlier pass. */
static bool is_known(const struct profil_object *object)
{
	unsigned int i = place_of(object->start);

	for (; i < nknown && known[i].start == object->start; i++) {
		if (known[i].end == object->end &&
		    known[i].eh_frame_hdr == object->eh_frame_hdr) {
			seen[i] = pass;
			return true;
		}
	}
	return false;
}

/* What is at @from and behind it goes to @to. */
static void move(unsigned int to, unsigned int from)
{
	memmove(known + to, known + from, (nknown - from) * sizeof(known[0]));
	memmove(seen + to, seen + from, (nknown - from) * sizeof(seen[0]));
	nknown = nknown + to - from;
	changed = true;
}

static bool learn(const struct profil_object *object)
{
	unsigned int i = place_of(object->start);

	if (nknown == PROFIL_OBJECTS_MAX)
		return false;
	move(i + 1, i);
	known[i] = *object;
	seen[i] = pass;
	return true;
}

static void log_gone(struct file *file, uint64_t sample)
{
	unsigned int i = 0;

	while (i < nknown) {
		if (seen[i] == pass) {
			i++;
			continue;
		}
		file_log(file, PROFILE_GONE, sample, &known[i].start,
			 sizeof(known[i].start), NULL, 0);
		move(i, i + 1);
	}
}

static void log_code(struct visit *visit, const struct dl_phdr_info *info,
		     const ElfW(Phdr) *segment, const struct profil_object *code)
{
	struct profile_object object = {
		.start = code->start,
		.end = code->end,
		.bias = info->dlpi_addr,
		.offset = segment->p_offset,
	};
	/* One thread is here at a time, and its stack may be small. */
	static char buffer[PATH_MAX];
	const char *path;

	if (is_known(code))
		return;
	if (!learn(code)) {
		visit->file->header->log_lost++;
		return;
	}
	object_identity_set_build_id(info, &object);
	path = object_identity_path(info, visit->first, object.start, object.end,
				    buffer, sizeof(buffer));
	file_log(visit->file, PROFILE_OBJECT, visit->sample, &object,
		 sizeof(object), path, strlen(path) + 1);
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct visit *visit = argument;
	struct profil_object code;
	int i;

	(void)size;
	if (visit->first && pass > 1 && info->dlpi_adds == adds &&
	    info->dlpi_subs == subs) {
		visit->done = true;
		return 1;
	}
	adds = info->dlpi_adds;
	subs = info->dlpi_subs;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (libprofil_loaded_code_of(info, (unsigned int)i, &code))
			log_code(visit, info, &info->dlpi_phdr[i], &code);
	visit->first = false;
	return 0;
}

/*
 * A kernel that takes none makes no stacks. Later errors leave the table that is
 * there: stacks in what is new are cut short.
 */
static void tell_kernel(struct file *file, int fd)
{
	static bool told;

	if (!changed || !file->stacks_room)
		return;
	changed = false;
	if (sampler_set_objects(known, nknown, fd) && !told)
		file_room_end_stacks(file, true);
	told = true;
}

static void log_changes(struct file *file, uint64_t sample, int fd)
{
	struct visit visit = { .file = file, .sample = sample, .first = true };

	pass++;
	dl_iterate_phdr(visit_object, &visit);
	if (!visit.done)
		log_gone(file, sample);
	tell_kernel(file, fd);
}

void objects_log_changes(struct file *file, uint64_t sample, int fd)
{
	if (!file->header || !linker_list_is_free() || atomic_fetch_add(&busy, 1))
		return;
	/* Once more for those who came meanwhile, and did not wait. */
	do {
		int served = atomic_load(&busy);

		log_changes(file, sample, fd);
		if (atomic_fetch_sub(&busy, served) == served)
			return;
	} while (true);
}

void objects_tell_again(struct file *file)
{
	changed = nknown > 0;
	tell_kernel(file, -1);
}

void objects_after_fork(void)
{
	/* What that thread was changing is not to be relied on. */
	if (atomic_exchange(&busy, 0))
		nknown = pass = 0;
}
