// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The objects in memory, from the dynamic linker's list, which needs no system call.
 * They go into the log for readers, and into the kernel's table, for unwinding stacks
 * by call frame information.
 */
#include "objects.h"
#include "file_log.h"
#include "file_room.h"
#include "linker_list.h"
#include "loaded_code.h"
#include "object_identity.h"
#include "sampler.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

/* For each known object, the last pass that saw it, and a digest of its name. */
struct mark {
	unsigned int	seen;
	unsigned int	name;
};

/* Most programs have few. */
#define FEW	32

static struct profil_object few[FEW];
static struct mark few_marks[FEW];
/*
 * Mapped for a program with more. In the library, the kernel would map some pages of them for
 * each program.
 */
static struct {
	struct profil_object	object[PROFIL_OBJECTS_MAX];
	struct mark		mark[PROFIL_OBJECTS_MAX];
} *many;
/* The kernel's table, sorted by address. */
static struct profil_object *known = few;
static struct mark *marks = few_marks;
static unsigned int nknown, pass;
static atomic_bool changed;
/* The linker's list at the last pass: its length, and the counts of its changes. */
static unsigned int nlisted;
static unsigned long long adds, subs;
static atomic_int busy;

struct visit {
	struct file	*file;
	uint64_t	sample;
	int		fd;	/* the device, or -1 */
	unsigned int	n;	/* objects of the list so far; the first is the program */
	unsigned int	nold;	/* that many were there before; if not 0, none is gone */
	bool		done;	/* nothing has changed */
};

/* Index of the first known object that does not begin before @start. */
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

/* Tells apart two objects of one size that were loaded at one place. */
static unsigned int digest_of_name(const struct dl_phdr_info *info)
{
	const char *name = info->dlpi_name;
	unsigned int digest = 0;

	while (name && *name)
		digest = digest * 31 + (unsigned char)*name++;
	return digest;
}

/* Whether an earlier pass has seen it; marks it as seen in this pass. */
static bool is_known(const struct profil_object *object, unsigned int name)
{
	unsigned int i = place_of(object->start);

	if (i == nknown || memcmp(&known[i], object, sizeof(*object)) ||
	    marks[i].name != name)
		return false;
	marks[i].seen = pass;
	return true;
}

/* Moves the objects from index @from on to index @to. */
static void move(unsigned int to, unsigned int from)
{
	memmove(known + to, known + from, (nknown - from) * sizeof(known[0]));
	memmove(marks + to, marks + from, (nknown - from) * sizeof(marks[0]));
	nknown = nknown + to - from;
	changed = true;
}

static bool make_room(void)
{
	if (nknown == PROFIL_OBJECTS_MAX)
		return false;
	if (nknown < FEW || known != few)
		return true;
	if (!many) {
		void *map = mmap(NULL, sizeof(*many), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (map == MAP_FAILED)
			return false;
		many = map;
	}
	memcpy(many->object, few, sizeof(few));
	memcpy(many->mark, few_marks, sizeof(few_marks));
	known = many->object;
	marks = many->mark;
	return true;
}

static bool learn(const struct profil_object *object, unsigned int name)
{
	unsigned int i = place_of(object->start);

	if (!make_room())
		return false;
	move(i + 1, i);
	known[i] = *object;
	marks[i] = (struct mark){ pass, name };
	return true;
}

static void forget(const struct visit *visit, unsigned int i)
{
	file_log(visit->file, PROFILE_GONE, visit->sample, &known[i].start,
		 sizeof(known[i].start), NULL, 0);
	move(i, i + 1);
}

static void log_gone(const struct visit *visit)
{
	unsigned int i = 0;

	while (i < nknown)
		if (marks[i].seen == pass)
			i++;
		else
			forget(visit, i);
}

/*
 * Before a new object is logged: an object that was in its place is gone. A later
 * record of that would end the new object, too.
 */
static void log_replaced(const struct visit *visit, const struct profil_object *code)
{
	unsigned int i = place_of(code->start);

	if (i && known[i - 1].end > code->start)
		i--;
	while (i < nknown && known[i].start < code->end)
		forget(visit, i);
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
	unsigned int name = digest_of_name(info);
	const char *path;

	if (is_known(code, name))
		return;
	log_replaced(visit, code);
	if (!learn(code, name)) {
		visit->file->header->log_lost++;
		return;
	}
	object_identity_set_build_id(info, &object);
	path = object_identity_path(info, visit->n == 1, object.start, object.end,
				    file_spare(visit->file), PATH_MAX, visit->fd);
	file_log(visit->file, PROFILE_OBJECT, visit->sample, &object,
		 sizeof(object), path, strlen(path) + 1);
}

/* The linker adds at the end of its list: if nothing was removed, it begins as before. */
static int visit_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct visit *visit = argument;
	struct profil_object code;
	int i;

	(void)size;
	if (!visit->n++ && pass > 1 && info->dlpi_subs == subs) {
		visit->nold = nlisted;
		visit->done = info->dlpi_adds == adds;
	}
	if (visit->done)
		return 1;
	adds = info->dlpi_adds;
	subs = info->dlpi_subs;
	if (visit->n <= visit->nold)
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (libprofil_loaded_code_of(info, (unsigned int)i, &code))
			log_code(visit, info, &info->dlpi_phdr[i], &code);
	return 0;
}

/*
 * If the kernel refuses the first table, it makes no stacks. After later errors it
 * keeps the old table, and stacks in new objects are cut short. Some errors pass: the
 * start says so, or the kernel is told at the next change, or start after a pause.
 */
static void tell_kernel(struct file *file, int fd)
{
	static bool told;
	int error;

	if (!changed || !file->stacks_room)
		return;
	/* Before the request: another thread may forget the table during it. */
	changed = false;
	error = sampler_set_objects(known, nknown, fd);
	if (error == EDQUOT || error == EAGAIN || error == EPERM || error == EMFILE ||
	    error == ENFILE)
		changed = true;
	else if (error && !told)
		file_room_end_stacks(file, true);
	told = true;
}

static void log_changes(struct file *file, uint64_t sample, int fd)
{
	struct visit visit = { .file = file, .sample = sample, .fd = fd };
	unsigned long long before = adds;

	pass++;
	dl_iterate_phdr(visit_object, &visit);
	/* After dlmopen(3), glibc counts wrongly what was removed. */
	if (visit.nold && !visit.done && visit.n - visit.nold != adds - before) {
		subs--;
		visit.n = visit.nold = 0;
		dl_iterate_phdr(visit_object, &visit);
	}
	if (!visit.nold)
		log_gone(&visit);
	if (!visit.done)
		nlisted = visit.n;
	tell_kernel(file, fd);
}

void objects_log_changes(struct file *file, uint64_t sample, int fd)
{
	if (!file->header || !linker_list_is_free() || atomic_fetch_add(&busy, 1))
		return;
	/* Again for threads that came meanwhile: they return without waiting. */
	do {
		int served = atomic_load(&busy);

		log_changes(file, sample, fd);
		if (atomic_fetch_sub(&busy, served) == served)
			return;
	} while (true);
}

void objects_tell_refused(struct file *file, uint64_t sample)
{
	if (changed && file->stacks_room)
		objects_log_changes(file, sample, -1);
}

void objects_tell_child(struct file *file)
{
	tell_kernel(file, -1);
}

void objects_forget_table(void)
{
	changed = nknown > 0;
}

void objects_after_fork(void)
{
	/* Another thread may have been changing the table at the fork: start anew. */
	if (!atomic_load(&busy))
		return;
	atomic_store(&busy, 0);
	known = few;
	marks = few_marks;
	nknown = pass = 0;
	changed = false;
}
