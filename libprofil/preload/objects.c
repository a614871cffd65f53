// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The objects in memory, from the dynamic linker's own list: no system call,
 * and build IDs come with it. The log has them for readers; the kernel has a
 * table of them, to follow stacks by their call frame information.
 */
#include "objects.h"
#include "code.h"
#include "file_log.h"
#include "file_room.h"
#include "sampler.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* As the kernel takes them: by address. */
static struct profil_object known[PROFIL_OBJECTS_MAX];
/* Of each, the pass that saw it last. */
static unsigned int seen[PROFIL_OBJECTS_MAX];
static unsigned int nknown, pass;
static bool changed;
static unsigned long long adds, subs;
static atomic_int busy;

/*
 * A fork child has its parent's lock of the list, which another thread may have
 * held: then nobody here will ever release it. The list is as it was at the
 * fork until this process's own dynamic linker changes it, which it could not
 * do without the lock; until then, it is not asked for.
 */
static bool lock_in_doubt;
static uintptr_t list_at_fork;

/* libc's, since 2.32: there have never been threads. */
extern char __libc_single_threaded __attribute__((weak));

/* Different for different lists; read without the lock, and only compared. */
static uintptr_t list_digest(void)
{
	const struct link_map *map;
	uintptr_t digest = 0;

	if (_r_debug.r_state != RT_CONSISTENT)
		return list_at_fork;
	for (map = _r_debug.r_map; map; map = map->l_next)
		digest = digest * 31 + (uintptr_t)map + map->l_addr;
	return digest;
}

static bool may_be_locked(void)
{
	if (lock_in_doubt)
		lock_in_doubt = list_digest() == list_at_fork;
	return lock_in_doubt;
}

bool objects_can_be_listed(void)
{
	return !may_be_locked();
}

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

static const char *absolute(const char *name, char *buffer, size_t size)
{
	size_t length;

	if (name[0] == '/' || !getcwd(buffer, size))
		return name;
	length = strlen(buffer);
	if (snprintf(buffer + length, size - length, "/%s", name) >=
	    (int)(size - length))
		return name;
	return buffer;
}

/* The file that is mapped at @address; found once, if at all, so by reading. */
static const char *mapped_path(uint64_t address, char *buffer, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	const char *found = "[program]";
	unsigned long low, high;
	int at;

	while (maps && fgets(buffer, (int)size, maps)) {
		if (sscanf(buffer, "%lx-%lx %*s %*s %*s %*s %n", &low, &high,
			   &at) < 2 || address < low || address >= high)
			continue;
		buffer[strcspn(buffer, "\n")] = '\0';
		if (buffer[at] == '/')
			found = buffer + at;
		break;
	}
	if (maps)
		fclose(maps);
	return found;
}

/* The program itself has no name in the list, and the vdso no file. */
static const char *object_path(const struct dl_phdr_info *info, bool first,
			       uint64_t start, uint64_t end, char *buffer,
			       size_t size)
{
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
	ssize_t length;

	if (vdso && vdso >= start && vdso < end)
		return "[vdso]";
	if (info->dlpi_name && info->dlpi_name[0])
		return absolute(info->dlpi_name, buffer, size);
	if (!first)
		return "[unknown]";
	/* Without an interpreter it is that itself: ld.so PROGRAM. */
	if (!getauxval(AT_BASE))
		return mapped_path(start, buffer, size);
	length = readlink("/proc/self/exe", buffer, size - 1);
	if (length < 0)
		return "[program]";
	buffer[length] = '\0';
	return buffer;
}

/* The note with the build ID, among those of one segment. */
static const ElfW(Nhdr) *find_build_id(const char *notes, size_t size)
{
	size_t at = 0;

	while (at + sizeof(ElfW(Nhdr)) <= size) {
		const ElfW(Nhdr) *note = (const void *)(notes + at);
		size_t name = (note->n_namesz + 3) & ~3U;
		size_t value = (note->n_descsz + 3) & ~3U;

		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4))
			return note;
		at += sizeof(*note) + name + value;
	}
	return NULL;
}

static void set_build_id(const struct dl_phdr_info *info,
			 struct profile_object *object)
{
	const ElfW(Nhdr) *note;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_NOTE)
			continue;
		note = find_build_id((const char *)info->dlpi_addr +
					     segment->p_vaddr,
				     segment->p_memsz);
		if (!note || note->n_descsz > PROFILE_BUILD_ID_MAX)
			continue;
		object->build_id_size = note->n_descsz;
		memcpy(object->build_id, (const char *)(note + 1) + 4,
		       note->n_descsz);
		return;
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
	set_build_id(info, &object);
	path = object_path(info, visit->first, object.start, object.end, buffer,
			   sizeof(buffer));
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
		if (libprofil_code_of(info, (unsigned int)i, &code))
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
	if (!file->header || may_be_locked() || atomic_fetch_add(&busy, 1))
		return;
	/* Once more for those who came meanwhile, and did not wait. */
	do {
		int served = atomic_load(&busy);

		log_changes(file, sample, fd);
		if (atomic_fetch_sub(&busy, served) == served)
			return;
	} while (true);
}

void objects_after_fork(void)
{
	/* What that thread was changing is not to be relied on. */
	if (atomic_exchange(&busy, 0))
		nknown = pass = 0;
	list_at_fork = list_digest();
	lock_in_doubt = !&__libc_single_threaded || !__libc_single_threaded;
}
