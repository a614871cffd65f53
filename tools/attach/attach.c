// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The profile file is profil's: it makes the file, and writes header and log. The
 * process only maps it, for the kernel to write samples and stacks. But the process can
 * write anything there, and cut the file. So profil has header and log in memory of its
 * own, and never uses what the file has.
 */
#include "attach/attach.h"
#include "attach/code_map.h"
#include "attach/recording.h"
#include "attach/target.h"
#include "common/clock.h"
#include "common/end_signals.h"
#include "common/memory.h"
#include "common/message.h"
#include "libprofil/preload/file_create.h"
#include "libprofil/preload/file_log.h"
#include "libprofil/preload/file_size.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* How often to look for new objects; at first, when the program may have just begun. */
#define LOOK_MS		200
#define LOOK_FIRST_MS	10
#define UPDATE_AGAIN_MS	2000
#define SAMPLES_LEAST	1024
#define NO_SUM		1
#define ARGUMENTS_MOST	4096

static struct target target;
static struct file file;
static size_t flushed;			/* bytes of the log that the file has */
static struct code_map known;
static struct recording *recording;
static uint64_t ahead_ns;		/* of target_ahead_ns() */

void attach_check(pid_t pid)
{
	target_open(&target, pid);
}

struct attached attach_leave(void)
{
	flock(target.proc, LOCK_UN);
	return (struct attached){
		.owner = target.owner,
		.root = target.mounts ? target.root : NULL,
	};
}

/* --- The log ------------------------------------------------------------------------- */

/* What is new, to the file: by pwrite(), which a cut file or a full disk does not kill. */
static void flush(void)
{
	const struct profile_header *header = file.header;
	size_t size = header->log_used - flushed;

	if (pwrite(recording->own.file, file.log + flushed, size,
		   (off_t)(RECORDING_LOG_AT + flushed)) != (ssize_t)size)
		return;
	flushed = header->log_used;
	if (pwrite(recording->own.file, header, sizeof(*header), 0) < 0)
		warn("cannot write %s: %s", file.path, strerror(errno));
}

/* The samples until now; the last ones may be missing. */
static uint64_t position(void)
{
	struct profil_status status = { .nsamples = 0 };
	int memory = openat(target.proc, "mem", O_RDONLY | O_CLOEXEC);

	if (memory >= 0 && recording->page &&
	    pread(memory, &status, sizeof(status), (off_t)recording->page) !=
	    sizeof(status))
		status.nsamples = 0;
	if (memory >= 0)
		close(memory);
	return status.nsamples;
}

static void log_text(uint32_t type, const char *text)
{
	file_log(&file, type, 0, text, strlen(text) + 1, NULL, 0);
}

static void log_origin(void)
{
	size_t size = 0;
	char *arguments = target_read(&target, "cmdline", &size);
	struct utsname system;

	log_text(PROFILE_NAME, target.name);
	if (uname(&system) == 0)
		log_text(PROFILE_HOST, system.nodename);
	if (size > ARGUMENTS_MOST)
		size = ARGUMENTS_MOST;
	if (size)
		file_log(&file, PROFILE_ARGUMENTS, 0, arguments, size - 1, "", 1);
	free(arguments);
}

/* Both are sorted: @at is where the search for the code before @code has ended. */
static bool has(const struct code_map *map, size_t *at, const struct code *code)
{
	while (*at < map->n && map->code[*at].start < code->start)
		(*at)++;
	return *at < map->n && code_map_is_same(&map->code[*at], code);
}

static void log_object(const struct code *code, uint64_t sample)
{
	struct profile_object object = {
		.start = code->start, .end = code->end, .bias = code->bias,
		.offset = code->offset, .build_id_size = code->build_id_size,
	};

	memcpy(object.build_id, code->build_id, sizeof(object.build_id));
	file_log(&file, PROFILE_OBJECT, sample, &object, sizeof(object), code->path,
		 strlen(code->path) + 1);
}

/* Gone ones first: a new one may be in the same place. True if there are changes. */
static bool log_changes(const struct code_map *now)
{
	uint64_t sample = position();
	bool changed = false;
	size_t i, at = 0;

	for (i = 0; i < known.n; i++) {
		if (has(now, &at, &known.code[i]))
			continue;
		file_log(&file, PROFILE_GONE, sample, &known.code[i].start,
			 sizeof(uint64_t), NULL, 0);
		changed = true;
	}
	for (i = 0, at = 0; i < now->n; i++) {
		const struct code *code = &now->code[i];

		if (has(&known, &at, code))
			continue;
		log_object(code, sample);
		changed = true;
	}
	return changed;
}

/* Writes the kernel's table into the file. pwrite() because the disk may be full. */
static void write_table(const struct code_map *now)
{
	size_t size = RECORDING_TABLE_BYTES;
	struct profil_object *objects = allocate(size);

	recording->nobjects = code_map_table(now, objects);
	size = recording->nobjects * sizeof(*objects);
	if (pwrite(recording->own.file, objects, size, RECORDING_TABLE_AT) !=
	    (ssize_t)size)
		recording->nobjects = 0;
	free(objects);
}

/* True if the kernel has to get another table. */
static bool look_at_code(void)
{
	struct code_map now;
	bool changed;

	code_map_read(&now, &target);
	if (!known.n)
		recording->index = frame_index_make(&target, &now);
	if (recording->index.size)
		code_map_set_frames(&now, recording->index.start, recording->index.at);
	/* An empty one: the process is about to end. */
	changed = now.n && log_changes(&now);
	if (changed) {
		flush();
		write_table(&now);
		code_map_free(&known);
		known = now;
	} else {
		code_map_free(&now);
	}
	return changed;
}

/* --- The beginning ------------------------------------------------------------------- */

/* Not what the process maps. */
static void take_header(void)
{
	char *own = mmap(NULL, FILE_SAMPLES_AT, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (own == MAP_FAILED)
		out_of_memory();
	memcpy(own, file.header, sizeof(*file.header));
	munmap(file.header, recording_bytes(&file));
	file.header = (void *)own;
	file.log = own + RECORDING_LOG_AT;
	file.header->log_offset = RECORDING_LOG_AT;
	file.samples = file.stacks = NULL;
	flushed = 0;
}

static void make_file(const struct attach *attach, uint64_t capacity)
{
	int error, fd = -1;

	file = (struct file){ .header = NULL };
	error = file_create_of(&file, attach->directory, target.name, attach->pid,
			       capacity, attach->stacks, 0, &fd);
	if (error)
		die("cannot make a profile in %s: %s", attach->directory,
		    strerror(error));
	/* Addresses of the process are nobody else's business. */
	fchmod(fd, 0600);
	take_header();
	file.header->log_capacity = RECORDING_TABLE_AT - RECORDING_LOG_AT;
	file.header->run = (uint32_t)attach->run;
	ahead_ns = target_ahead_ns(&target);
	file.header->monotonic_ns += ahead_ns;
	recording->own = (struct handover){ fd, attach->device };
	recording->rate = attach->rate;
	recording->stacks = file.stacks_room;
	recording->waits = attach->waits;
	log_origin();
	look_at_code();
	flush();
}

static void leave_file(void)
{
	close(recording->own.file);
	munmap(file.header, FILE_SAMPLES_AT);
}

static void remove_file(void)
{
	unlink(file.path);
	leave_file();
	code_map_free(&known);
	free(recording->index.bytes);
}

/*
 * With a time, so much for it on all CPUs that there are 256 bytes for the stack of each sample.
 * Waits take more.
 */
static uint64_t wanted_capacity(const struct attach *attach)
{
	if (attach->samples || attach->waits || attach->seconds <= 0)
		return attach->samples;
	return (uint64_t)(attach->seconds + 1) * 8000 * (uint64_t)get_nprocs_conf();
}

/*
 * What is wanted, or what the limit of the process's address space has room for. The program's
 * mlockall() locks the file, too, and a later limit of its address space counts it.
 */
static uint64_t first_capacity(const struct attach *attach)
{
	uint64_t wanted = wanted_capacity(attach), most;
	struct rlimit limit;

	if (prlimit(attach->pid, RLIMIT_AS, NULL, &limit) < 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return wanted;
	/* A sample, and four times as much for its stack. */
	most = file_size_of_space(limit.rlim_cur) / (5 * sizeof(void *));
	if (wanted && wanted < most)
		most = wanted;
	return most > SAMPLES_LEAST ? most : SAMPLES_LEAST;
}

static void start(const struct attach *attach)
{
	uint64_t capacity = first_capacity(attach);
	const struct thread *held = attach->held;

	for (;; held = NULL) {
		make_file(attach, capacity);
		recording->no_room = false;
		if (held ? recording_start_held(recording, held) :
			   recording_run(recording_start, recording))
			return;
		capacity = file.room / 4;
		remove_file();
		if (!recording->no_room)
			exit(EXIT_BROKEN);
		if (capacity < SAMPLES_LEAST)
			die("cannot profile process %d: its address space has no room for the profile",
			    attach->pid);
	}
}

/* What the kernel has granted. */
static void note_start(const struct attach *attach)
{
	struct profil_features features = { .size = sizeof(features) };
	const struct profil_samples *samples = &recording->samples;

	file.header->rate = samples->rate;
	file.header->flags = samples->flags;
	if (ioctl(attach->device, PROFIL_IOC_FEATURES, &features) == 0 &&
	    samples->rate < length_of(features.period_ns))
		file.header->period_ns = features.period_ns[samples->rate];
	if (!recording->stacks && attach->stacks)
		warn(PROFIL_DEVICE ": the module makes no call stacks (it is too old or built without them, its parameter stacks is N, or it has no memory), or the process has no room for them");
	else if (attach->waits && !(samples->flags & PROFIL_WAITS))
		warn(PROFIL_DEVICE ": the module records no waits (it is too old, does not see context switches, or has no memory for them)");
	if (!recording->stacks)
		file.header->stacks_offset = file.header->stacks_capacity = 0;
	flush();
}

/* --- The profile --------------------------------------------------------------------- */

enum end { BY_TIME, BY_SIGNAL, ENDED, REPLACED };

static uint64_t cpu_ns(uint64_t before)
{
	clockid_t clock;
	uint64_t now;

	if (clock_getcpuclockid(target.pid, &clock))
		return before;
	now = file_now_ns(clock);
	return now > before ? now : before;
}

static int open_signals(void)
{
	sigset_t signals;

	end_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

/* Whether the process still has the file mapped: not if it has executed a program. */
static bool is_mapped(void)
{
	unsigned long address;
	uint32_t run;
	size_t size;

	return code_map_leftover(&target, &address, &size, &run) &&
	       address == recording->map;
}

static enum end end_of_map(void)
{
	return target_has_memory(&target) || target_is_headless(&target) ? REPLACED : ENDED;
}

/* What refuses it may last, as a write to a slow reader does: the first try has said so. */
static bool update_again(struct recording *of)
{
	return freopen("/dev/null", "w", stderr) && recording_update(of);
}

/* Waits for the end, and looks for changes meanwhile. */
static enum end watch(const struct attach *attach, int signals, uint64_t *cpu)
{
	struct pollfd events[] = {
		{ .fd = target.pidfd, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	int64_t end = attach->seconds > 0 ?
		clock_ms() + (int64_t)(attach->seconds * 1000) : INT64_MAX;
	int64_t again = INT64_MAX;	/* INT64_MAX: the kernel has the last table */
	uint64_t sum, last = NO_SUM;
	int look = LOOK_FIRST_MS;
	bool untold;

	for (;; look = 2 * look < LOOK_MS ? 2 * look : LOOK_MS) {
		int64_t left = end - clock_ms();

		if (left <= 0)
			return BY_TIME;
		poll(events, length_of(events), left < look ? (int)left : look);
		*cpu = cpu_ns(*cpu);
		if (events[1].revents)
			return BY_SIGNAL;
		if (events[0].revents)
			return ENDED;
		sum = code_map_sum(&target);
		untold = clock_ms() >= again;
		if (sum == last && !untold)
			continue;
		if (!is_mapped())
			return end_of_map();
		/* Once more after a change, and after one while it was looked at. */
		last = code_map_sum(&target) == sum ? sum : NO_SUM;
		if (!look_at_code() && !untold)
			continue;
		last = NO_SUM;
		again = recording_run(untold ? update_again : recording_update, recording) ?
			INT64_MAX : clock_ms() + UPDATE_AGAIN_MS;
	}
}

/* The kernel's counts; without them, the file is as that of a process that was killed. */
static void note_end(void)
{
	struct profile_header *header = file.header;
	const struct profil_status *last = &recording->last;

	header->ticks = last->ticks;
	header->counted = last->counted;
	header->dropped = last->dropped;
	if (last->state != PROFIL_STATE_ON)
		header->stopped = last->state;
	if (header->stacks_offset) {
		header->stack_bytes = last->stack_bytes;
		header->stackless = last->stackless;
		header->waits_lost = last->waits_lost < UINT32_MAX ?
				     (uint32_t)last->waits_lost : UINT32_MAX;
	}
	file_end(&file, file_now_ns(CLOCK_MONOTONIC) + ahead_ns);
}

/* False: it has executed a program since the last look, or does so now, or has ended. */
static bool stop(void)
{
	if (!is_mapped())
		return false;
	look_at_code();
	if (recording_run(recording_stop, recording)) {
		file.header->unattended = PROFILE_OUTLIVED;
		if (!recording->replaced)
			note_end();
		flush();
	} else if (is_mapped()) {
		warn("cannot stop the profile of process %d: it goes on until the process ends, or profil -p %d is run again",
		     target.pid, target.pid);
	} else {
		return false;
	}
	if (recording->replaced)
		warn("process %d has started a profile of its own: this one ends there",
		     target.pid);
	return true;
}

static const char *what_replaced(void)
{
	if (target_is_headless(&target))
		return "the main thread of process %d has ended: profil no longer sees the process, whose profile goes on until its end";
	if (target_is_hidden(&target))
		return "profil may no longer look at process %d, whose rights have changed: its profile goes on until the process executes a program or ends";
	return "process %d has executed another program: its profile ends there";
}

static enum end finish(const struct attach *attach, enum end end)
{
	if ((end == BY_TIME || end == BY_SIGNAL) && !stop())
		end = end_of_map();
	if (end == REPLACED && !attach->followed)
		warn(what_replaced(), target.pid);
	return end;
}

static unsigned int inner_pid(const char *status)
{
	const char *numbers = target_field(status, "NSpid");
	size_t at = numbers ? strcspn(numbers, "\n") : 0;

	while (at && numbers[at - 1] != '\t')
		at--;
	return numbers ? (unsigned int)strtoul(numbers + at, NULL, 10) :
			 (unsigned int)target.pid;
}

/* In a container, the process knows another number, and another /tmp. */
static void describe(struct attached *attached)
{
	char *status = target_read(&target, "status", NULL);

	*attached = (struct attached){
		.name = target.name,
		.owner = target.owner,
		.tmp = format_text("%s/tmp", target.root ? target.root : ""),
		.pid = inner_pid(status),
		.root = target.mounts ? target.root : NULL,
	};
	free(status);
}

struct attached attach_run(const struct attach *attach)
{
	int signals = open_signals();
	struct attached attached;
	uint64_t before, after;
	enum end end;

	recording = mmap(NULL, sizeof(*recording), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (recording == MAP_FAILED)
		out_of_memory();
	recording->target = &target;
	recording->file = &file;
	describe(&attached);
	start(attach);
	note_start(attach);
	if (!attach->quiet)
		fprintf(stderr, "Profiling process %d (%s); ^C ends the profile.\n",
			target.pid, target.name);
	before = after = cpu_ns(0);
	end = finish(attach, watch(attach, signals, &after));
	leave_file();
	attached.cpu_ns = after - before;
	attached.replaced = end == REPLACED;
	return attached;
}
