// SPDX-License-Identifier: LGPL-2.1-or-later
#include "attach/recording.h"
#include "attach/code_map.h"
#include "common/message.h"
#include "libprofil/preload/file_size.h"
#include "libprofil/preload/start_request.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEFTOVERS_MOST	64	/* a program may map more and more */
#define TAG		0x50524154	/* tells our profile from others */
#define PAGE		4096UL
/* In the first page of the file, behind the header, and in the page before there is one. */
#define ROOM_AT		1024UL

/* The arguments of an ioctl, behind those of the handover. */
struct arguments {
	struct profil_status		status;
	struct profil_object_table	table;
	struct profil_samples		samples;
};

_Static_assert(sizeof(struct profile_header) <= ROOM_AT &&
	       ROOM_AT + HANDOVER_BYTES + sizeof(struct arguments) <= PAGE, "room");

/* One connection to the process. */
struct session {
	struct remote		remote;
	struct recording	*recording;
	unsigned long		room;		/* memory of the process */
	struct handover		given;
};

size_t recording_bytes(const struct file *file)
{
	return FILE_SAMPLES_AT + file_size_of_samples(file->room) + file->stacks_room;
}

static long command(struct session *session, unsigned long number, size_t offset,
		    void *argument, size_t size)
{
	unsigned long address = session->room + HANDOVER_BYTES + offset;
	long result = -EFAULT;

	if (remote_write(&session->remote, address, argument, size))
		result = remote_call(&session->remote, SYS_ioctl,
				     (unsigned long)session->given.device, number,
				     address);
	if (result == 0 && !remote_read(&session->remote, address, argument, size))
		result = -EFAULT;
	return result;
}

static long get_status(struct session *session, struct profil_status *status)
{
	*status = (struct profil_status){ .size = sizeof(*status) };
	return command(session, PROFIL_IOC_STATUS, offsetof(struct arguments, status),
		       status, sizeof(*status));
}

static long stop_profile(struct session *session, struct profil_status *status)
{
	*status = (struct profil_status){ .size = sizeof(*status) };
	return command(session, PROFIL_IOC_STOP, offsetof(struct arguments, status),
		       status, sizeof(*status));
}

static long tell_objects(struct session *session)
{
	struct profil_object_table table = {
		.size = sizeof(table),
		.nobjects = session->recording->nobjects,
		.object_size = sizeof(struct profil_object),
		.objects = session->recording->map + RECORDING_TABLE_AT,
	};

	return command(session, PROFIL_IOC_OBJECTS, offsetof(struct arguments, table),
		       &table, sizeof(table));
}

static bool is_error(long result)
{
	return result < 0 && result > -4096;
}

/* The file is still mapped where it was. */
static bool is_there(const struct recording *recording)
{
	unsigned long address;
	uint32_t run;
	size_t size;

	return code_map_leftover(recording->target, &address, &size, &run) &&
	       address == recording->map && run == recording->file->header->run;
}

/* Our thread has a copy of all the program's descriptors. */
static bool open_session(struct session *session, struct recording *recording,
			 unsigned long room, const struct thread *held)
{
	struct remote *remote = &session->remote;
	long result;

	session->recording = recording;
	if (!remote_begin(remote, recording->target, held))
		return false;
	/* It has executed another program meanwhile, which may have its own memory there. */
	if (room && !is_there(recording)) {
		remote_end(remote);
		return false;
	}
	result = remote_call(remote, SYS_close_range, 0, ~0U, 0);
	if (!result && !room)
		result = remote_call(remote, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, ~0UL, 0);
	session->room = room ? room : (unsigned long)result + ROOM_AT;
	if (is_error(result))
		warn("cannot attach to process %d: %s", recording->target->pid,
		     result == -ENOMEM ? "it has no memory left" :
					 strerror((int)-result));
	else if (handover_make(remote, &recording->own, session->room, &session->given))
		return true;
	if (!is_error(result) && !room)
		remote_call(remote, SYS_munmap, session->room - ROOM_AT, PAGE);
	remote_end(remote);
	return false;
}

/* Under mlockall(MCL_FUTURE) all of a new mapping is locked: so a page of it grows. */
static long map_file(struct session *session)
{
	struct remote *remote = &session->remote;
	unsigned long fd = (unsigned long)session->given.file;
	size_t bytes = recording_bytes(session->recording->file);
	long first, map;

	first = remote_call(remote, SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, 0);
	if (is_error(first))
		return first;
	remote_call(remote, SYS_munlock, (unsigned long)first, PAGE);
	map = remote_call(remote, SYS_mremap, (unsigned long)first, PAGE, bytes,
			  MREMAP_MAYMOVE);
	if (is_error(map)) {
		remote_call(remote, SYS_munmap, (unsigned long)first, PAGE);
		return map;
	}
	/* Children must not write to it. */
	remote_call(remote, SYS_madvise, (unsigned long)map, bytes, MADV_DONTFORK);
	remote_call(remote, SYS_madvise, (unsigned long)map, bytes, MADV_DONTDUMP);
	return map;
}

/* Starts what this kernel can do of it. */
static long request_best(struct session *session, struct profil_samples *samples)
{
	struct profil_features features = { .size = sizeof(features) };
	long result;

	while ((result = command(session, PROFIL_IOC_SAMPLES,
				 offsetof(struct arguments, samples), samples,
				 sizeof(*samples)))) {
		ioctl(session->recording->own.device, PROFIL_IOC_FEATURES, &features);
		if (!start_request_reduce(samples, (int)-result, features.flags))
			break;
	}
	return result;
}

static long start_profile(struct session *session)
{
	struct recording *recording = session->recording;
	const struct file *file = recording->file;
	unsigned long samples_at = recording->map + FILE_SAMPLES_AT;
	struct profil_samples samples = {
		.size = sizeof(samples),
		.rate = recording->rate,
		.flags = recording->rate == PROFIL_RATE_FAST ? PROFIL_RANDOM : 0,
		.buf = samples_at,
		.nsamples = file->room,
		.width = sizeof(void *),
		.tag = TAG,
	};
	long result;

	result = tell_objects(session);
	/* The start would say the same, or it has just passed. */
	if (result == -EDQUOT || result == -EAGAIN || result == -EPERM)
		return result;
	recording->stacks &= result == 0;
	if (recording->stacks) {
		samples.stacks = samples_at + file_size_of_samples(file->room);
		samples.stacks_size = file->stacks_room;
		if (recording->waits)
			samples.flags |= PROFIL_WAITS;
	}
	result = request_best(session, &samples);
	recording->stacks = samples.stacks;
	recording->samples = samples;
	recording->page = samples.page;
	return result;
}

static void explain_start(const struct recording *recording, long result)
{
	int error = (int)-result;

	warn("cannot profile process %d: %s", recording->target->pid,
	     error == EDQUOT ? "its user has as many profiles as the module's max_profiles allows (stop one, or raise that parameter)" :
	     error == EPERM ? "the administrator has switched profiling off (the module's parameter enabled is N)" :
	     strerror(error));
}

/* A killed profil leaves its profile running. It is ours to end: see target_open(). */
static void clear_leftover(struct session *session)
{
	struct remote *remote = &session->remote;
	unsigned long address;
	uint32_t run;
	size_t size;
	int i;

	for (i = 0; i < LEFTOVERS_MOST &&
	     code_map_leftover(remote->target, &address, &size, &run); i++)
		remote_call(remote, SYS_munmap, address, size);
}

static bool is_free(struct session *session)
{
	struct profil_status status;
	long result = get_status(session, &status);

	if (result == 0 && status.state == PROFIL_STATE_ON) {
		if (status.tag != TAG) {
			warn("process %d is already profiled: by itself, or with libprofil",
			     session->remote.target->pid);
			return false;
		}
		stop_profile(session, &status);
	}
	if (result)
		warn("cannot profile process %d: " PROFIL_DEVICE ": %s",
		     session->remote.target->pid, strerror((int)-result));
	return result == 0;
}

/* Without it, stacks are walked by frame pointers. */
static void map_index(struct session *session)
{
	struct recording *recording = session->recording;
	struct frame_index *index = &recording->index;
	struct remote *remote = &session->remote;
	long result;

	if (!index->size)
		return;
	result = remote_call(remote, SYS_mmap, index->at, index->size, PROT_READ,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, ~0UL, 0);
	if (result == (long)index->at &&
	    remote_write(remote, index->at, index->bytes, index->size)) {
		remote_call(remote, SYS_madvise, index->at, index->size, MADV_DONTFORK);
		return;
	}
	index->size = 0;
	recording->nobjects = 0;
}

static void unmap_index(struct session *session)
{
	const struct frame_index *index = &session->recording->index;

	if (index->size)
		remote_call(&session->remote, SYS_munmap, index->at, index->size);
}

static bool begin_profile(struct session *session)
{
	struct recording *recording = session->recording;
	size_t bytes = recording_bytes(recording->file);
	long result;

	if (!is_free(session))
		return false;
	clear_leftover(session);
	result = map_file(session);
	if (is_error(result)) {
		recording->no_room = result == -ENOMEM;
		if (!recording->no_room)
			explain_start(recording, result);
		return false;
	}
	recording->map = (unsigned long)result;
	map_index(session);
	result = start_profile(session);
	if (result) {
		explain_start(recording, result);
		unmap_index(session);
		remote_call(&session->remote, SYS_munmap, recording->map, bytes);
		return false;
	}
	remote_call(&session->remote, SYS_madvise, recording->page, PAGE, MADV_DONTFORK);
	return true;
}

static bool start_with(struct recording *recording, const struct thread *held)
{
	struct session session;
	bool begun;

	if (!open_session(&session, recording, 0, held))
		return false;
	begun = begin_profile(&session);
	remote_call(&session.remote, SYS_munmap, session.room - ROOM_AT, PAGE);
	remote_end(&session.remote);
	return begun;
}

bool recording_start(struct recording *recording)
{
	return start_with(recording, NULL);
}

bool recording_start_held(struct recording *recording, const struct thread *held)
{
	bool begun = start_with(recording, held);

	/* This process goes on, and holds the program no more. */
	thread_go_first(false);
	return begun;
}

bool recording_update(struct recording *recording)
{
	struct session session;
	bool told;

	if (!is_there(recording) ||
	    !open_session(&session, recording, recording->map + ROOM_AT, NULL))
		return false;
	told = tell_objects(&session) == 0;
	remote_end(&session.remote);
	return told;
}

bool recording_stop(struct recording *recording)
{
	struct profil_status status;
	struct session session;
	bool stopped;

	if (!is_there(recording) ||
	    !open_session(&session, recording, recording->map + ROOM_AT, NULL))
		return false;
	stopped = get_status(&session, &status) == 0;
	recording->replaced = status.tag != TAG;
	if (stopped && !recording->replaced) {
		recording->last = status;
		stopped = stop_profile(&session, &status) == 0;
	}
	if (stopped && !recording->replaced) {
		status.state = recording->last.state;
		recording->last = status;
		remote_call(&session.remote, SYS_munmap, recording->page, PAGE);
	}
	unmap_index(&session);
	remote_call(&session.remote, SYS_munmap, recording->map,
		    recording_bytes(recording->file));
	remote_end(&session.remote);
	return stopped;
}

/* Where this is allowed. A process with a seccomp filter may not survive our end. */
static void spare_from_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "-1000", 5) < 0)
		errno = 0;
	close(fd);
}

/* When this process ends, the kernel lets go of each thread that it still holds. */
bool recording_run(bool (*function)(struct recording *recording),
		   struct recording *recording)
{
	sigset_t all, before;
	int status = -1;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	child = fork();
	if (child == 0) {
		/* A signal to profil's process group does not end this one. */
		setsid();
		spare_from_oom();
		_exit(function(recording) ? 0 : 1);
	}
	if (child > 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	else
		warn("cannot start a process: %s", strerror(errno));
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child > 0 && status == 0;
}
