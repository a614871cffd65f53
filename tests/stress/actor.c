// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the processes of a stress run do; see actor.h. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actor.h"
#include "arena.h"
#include "chance.h"
#include "outcome.h"
#include "request.h"
#include "work.h"

#ifndef MADV_COLD
#define MADV_COLD	20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

#define MOST_REGIONS	8

/**
 * struct actor
 * @chance:  where its decisions come from.
 * @device:  open, or -1.
 * @arena:   the buffer of what runs, or poisoned since it stopped.
 * @samples: what runs is a sample array.
 * @width:   of a counter or an element.
 * @intact:  nothing has been done that takes counts out of the buffer.
 * @alone:   nobody else counts in the buffer.
 * @page:    of the device, as the last start said.
 * @flags:   PROFIL_THREAD, if it starts profiles of the thread's own.
 * @own:     whose page is noted here, of a thread.
 */
struct actor {
	struct chance chance;
	int device;
	struct arena arena;
	bool running, samples, intact, alone;
	unsigned int width, regions;
	uint64_t page;
	uint32_t flags;
	uint64_t *own;
};

static unsigned int any(struct actor *a, unsigned int n)
{
	return chance_of(&a->chance, n);
}

static void burn(struct actor *a)
{
	switch (any(a, 4)) {
	case 0:
		hot_a(1000 + any(a, 60000));
		break;
	case 1:
		hot_wide(1 + any(a, 200));
		break;
	case 2:
		hot_syscall(1 + any(a, 60));
		break;
	default:
		hot_b(1000 + any(a, 60000));
	}
}

/* --- starts and stops --------------------------------------------------------- */

static const enum arena_kind kinds[] = {
	ARENA_PRIVATE, ARENA_PRIVATE, ARENA_SHARED, ARENA_FILE, ARENA_HUGE,
};

static bool make_arena(struct actor *a)
{
	bool for_collapse = !did_ever(DID_COLLAPSE) && any(a, 2);
	enum arena_kind kind = for_collapse ? ARENA_HUGE : kinds[any(a, 5)];
	size_t size = 16 + any(a, any(a, 4) ? 64 << 10 : 64);

	if (kind == ARENA_HUGE)
		size = 3UL << 20;
	return arena_make(&a->arena, kind, size, any(a, 2) ? any(a, PAGE) : 0);
}

/* Each region has its own part of the buffer, of whole counters. */
static uint32_t make_regions(struct actor *a, struct profil_region *regions)
{
	static const unsigned char widths[] = { 2, 4, 8 };
	uint32_t n = 1 + (any(a, 3) ? 0 : any(a, MOST_REGIONS));
	struct text texts[] = { text_wide(), text_a(), text_b(), text_syscall() };
	size_t part;

	a->width = widths[any(a, 3)];
	part = a->arena.size / n / a->width * a->width;
	for (uint32_t i = 0; i < n; i++) {
		struct text text = texts[any(a, 4)];
		uint64_t scale = part * 65536 / (text.hi - text.lo);

		regions[i] = (struct profil_region) {
			.buf = (uintptr_t)a->arena.buf + i * part,
			.size = part,
			.offset = text.lo,
			.pc_end = text.hi,
			.width = (uint8_t)a->width,
			.scale = any(a, 3) ? (uint32_t)scale : 0,
			.index = (uint8_t)any(a, 3),
			.on_fault = (uint8_t)any(a, 2),
		};
	}
	if (any(a, 4) == 0) {
		regions[0].offset = regions[0].pc_end = regions[0].scale = 0;
		regions[0].flags = PROFIL_REGION_CATCH_ALL;
	}
	a->regions = n;
	return n;
}

static uint32_t any_flags(struct actor *a, uint32_t rate)
{
	uint32_t flags = a->flags | (any(a, 5) ? 0 : PROFIL_USER_ONLY);

	if (rate == PROFIL_RATE_FAST && any(a, 4) == 0)
		flags |= PROFIL_RANDOM;
	return flags;
}

static uint32_t any_rate(struct actor *a)
{
	return any(a, 4) ? PROFIL_RATE_FAST : any(a, 3);
}

static void note_status(const struct profil_status *st)
{
	did_many(DID_TICKS, st->ticks);
	did_many(DID_COUNTED, st->counted);
	did_many(DID_DROPPED, st->dropped);
	did_many(DID_DEFERRED, st->deferred);
	did_many(DID_FAULTS, st->faults);
	if (!accounts(st))
		broken("%llu ticks, %llu counted + %llu outside + %llu dropped (mode %u)",
		       (unsigned long long)st->ticks, (unsigned long long)st->counted,
		       (unsigned long long)st->outside, (unsigned long long)st->dropped,
		       st->mode);
}

/* Only what memory, or a signal that kills, can explain. */
static bool failed_well(int err)
{
	return err == -ENOMEM || err == -EINTR || err == -EAGAIN;
}

static int begin_samples(struct actor *a, struct profil_status *last)
{
	struct profil_samples req;
	int err;

	a->width = any(a, 2) ? 4 : 8;
	req = samples_of(a->arena.buf, a->arena.size / a->width, a->width);
	req.rate = any_rate(a);
	req.flags = any_flags(a, req.rate);
	*last = (struct profil_status) { .size = sizeof(*last) };
	req.last = (uintptr_t)last;
	err = request(a->device, PROFIL_IOC_SAMPLES, &req);
	a->page = req.page;
	did(DID_START_SAMPLES);
	return err;
}

static int begin_histogram(struct actor *a, struct profil_status *last)
{
	struct profil_region regions[MOST_REGIONS + 1];
	struct profil_histogram req;
	int err;

	req = histogram_of(regions, make_regions(a, regions));
	req.rate = any_rate(a);
	req.flags = any_flags(a, req.rate);
	*last = (struct profil_status) { .size = sizeof(*last) };
	req.last = (uintptr_t)last;
	err = request(a->device, PROFIL_IOC_HISTOGRAM, &req);
	a->page = req.page;
	did(DID_START_HISTOGRAM);
	return err;
}

static uint64_t number_at(const char *at, unsigned int width)
{
	uint64_t value = 0;

	memcpy(&value, at, width);
	return value;
}

/* What is in the buffer is what the kernel says it has put there. */
static void check_sum(const struct actor *a, const struct arena *arena,
		      const struct profil_status *st)
{
	size_t n = arena->size / a->width;
	uint64_t total = 0;

	if (!a->intact || !a->alone || st->faults || st->dropped)
		return;
	/* Parts of a histogram may leave a rest, which must be 0, too. */
	for (size_t i = 0; i < n; i++) {
		uint64_t value = number_at(arena->buf + i * a->width, a->width);

		total += a->samples ? value != 0 : value;
	}
	did(DID_SUMS);
	if (total != (a->samples ? st->nsamples : st->counted - st->saturated))
		broken("%s of width %u: %llu in the buffer, %llu counted, %llu saturated, %llu samples",
		       a->samples ? "samples" : "histogram", a->width,
		       (unsigned long long)total, (unsigned long long)st->counted,
		       (unsigned long long)st->saturated,
		       (unsigned long long)st->nsamples);
}

/* @a describes the profile that has stopped, in @arena. */
static void check_stopped(const struct actor *a, struct arena *arena,
			  const struct profil_status *st)
{
	note_status(st);
	if (!arena_guarded(arena))
		broken("written outside of the buffer");
	check_sum(a, arena, st);
}

/* Long enough for whatever might still come. */
static void check_silence(struct actor *a, struct arena *arena)
{
	arena_poison(arena);
	burn(a);
	if (!arena_poisoned(arena))
		broken("written after it stopped");
	arena_free(arena);
}

static void start_anew(struct actor *a)
{
	struct actor was = *a;
	struct profil_status last;
	bool samples = any(a, 3) == 0;
	int err;

	if (!make_arena(a)) {
		*a = was;
		return;
	}
	arena_clear(&a->arena);
	a->samples = samples;
	err = samples ? begin_samples(a, &last) : begin_histogram(a, &last);
	if (err) {
		if (!failed_well(err))
			broken("start: %s", strerror(-err));
		arena_free(&a->arena);
		was.chance = a->chance;
		*a = was;
		return;
	}
	a->running = a->intact = a->alone = true;
	if (was.running) {
		did(DID_REPLACE);
		check_stopped(&was, &was.arena, &last);
		check_silence(a, &was.arena);
	}
}

static void stop_now(struct actor *a)
{
	struct profil_status st = { .size = sizeof(st) };
	int err;

	if (!a->running)
		return;
	err = request(a->device, PROFIL_IOC_STOP, &st);
	did(DID_STOP);
	if (err)
		broken("stop: %s", strerror(-err));
	check_stopped(a, &a->arena, &st);
	check_silence(a, &a->arena);
	a->running = false;
}

static void ask_status(struct actor *a)
{
	struct profil_status st = { .size = sizeof(st) };
	int err = request(a->device, PROFIL_IOC_STATUS, &st);

	if (err)
		broken("status: %s", strerror(-err));
}

static int stop_own(struct actor *a, uint64_t page, struct profil_status *st)
{
	struct profil_thread req = thread_of(page, st);

	*st = (struct profil_status) { .size = sizeof(*st) };
	did(DID_STOP_OWN);
	return request(a->device, PROFIL_IOC_THREAD_STOP, &req);
}

/* --- what memory management can do to a buffer ----------------------------------- */

static bool collapse(const struct arena *arena)
{
	/* The kernel declines where nothing is mapped, or nothing writable. */
	arena_touch(arena);
	/* With the guards, which stay what they are: else there is no room for a huge page. */
	return madvise(arena->map, arena->bytes, MADV_COLLAPSE) == 0;
}

static void advise(struct actor *a)
{
	static const struct {
		int advice;
		enum stress_count count;
		bool loses;
	} list[] = {
		{ MADV_DONTNEED, DID_DISCARD, true },
		{ MADV_DONTNEED, DID_DISCARD, true },
		{ MADV_PAGEOUT, DID_PAGEOUT, false },
		{ MADV_COLD, DID_COLD, false },
		{ MADV_FREE, DID_FREE, true },
		{ MADV_MERGEABLE, DID_MERGEABLE, false },
	};
	unsigned int i = any(a, sizeof(list) / sizeof(*list));
	size_t bytes;
	char *from;

	if (!a->running || !arena_interior(&a->arena, &from, &bytes))
		return;
	if (arena_has_huge(&a->arena) && (!did_ever(DID_COLLAPSE) || any(a, 2))) {
		did(DID_TRY_COLLAPSE);
		if (collapse(&a->arena))
			did(DID_COLLAPSE);
		return;
	}
	/* What is rare, before what was done. */
	for (unsigned int other = 0; other < sizeof(list) / sizeof(*list); other++)
		if (!did_ever(list[other].count))
			i = other;
	a->intact &= !list[i].loses;
	if (madvise(from, bytes, list[i].advice) == 0)
		did(list[i].count);
}

/* For a moment; a tick in it stops the region or the profile. */
static void protect(struct actor *a)
{
	size_t bytes;
	char *from;

	if (!a->running || !arena_interior(&a->arena, &from, &bytes))
		return;
	if (mprotect(from, bytes, any(a, 2) ? PROT_READ : PROT_NONE) != 0)
		return;
	if (any(a, 2))
		burn(a);
	/* Areas that were split may not all be joined again for want of room. */
	while (mprotect(from, bytes, PROT_READ | PROT_WRITE) != 0)
		sched_yield();
	did(DID_PROTECT);
}

/* Away and back; meanwhile it must not be written. */
static void move_away_and_back(struct actor *a)
{
	size_t bytes;
	char *from, *there;

	if (!a->running || !arena_interior(&a->arena, &from, &bytes))
		return;
	there = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (there == MAP_FAILED)
		return;
	if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, there) == there) {
		did(DID_REMAP);
		if (any(a, 2))
			burn(a);
		while (mremap(there, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, from) != from)
			sched_yield();
		return;
	}
	munmap(there, bytes);
}

static void unmap_buffer_for_a_moment(struct actor *a)
{
	size_t bytes;
	char *from;

	if (!a->running || !arena_interior(&a->arena, &from, &bytes))
		return;
	a->intact = false;
	munmap(from, bytes);
	did(DID_UNMAP_BUFFER);
	burn(a);
	while (mmap(from, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != from)
		sched_yield();
}

/* This thread's own, beside what the process has. */
static void own_for_a_moment(struct actor *a)
{
	static void (*const actions[])(struct actor *a) = {
		burn, burn, advise, protect, move_away_and_back,
	};
	struct actor own = { .chance = a->chance, .device = a->device, .flags = PROFIL_THREAD };
	struct profil_status st;
	int err;

	if (!make_arena(&own))
		goto chance;
	arena_clear(&own.arena);
	own.samples = any(&own, 2);
	err = own.samples ? begin_samples(&own, &st) : begin_histogram(&own, &st);
	if (err) {
		if (!failed_well(err))
			broken("start of a thread's own: %s", strerror(-err));
		arena_free(&own.arena);
		goto chance;
	}
	own.running = own.intact = own.alone = true;
	for (unsigned int i = any(&own, 6); i > 0; i--)
		actions[any(&own, 5)](&own);
	err = stop_own(&own, any(&own, 2) ? own.page : 0, &st);
	if (err)
		broken("stop of a thread's own: %s", strerror(-err));
	check_stopped(&own, &own.arena, &st);
	check_silence(&own, &own.arena);
	if (any(&own, 2))
		munmap((void *)(uintptr_t)own.page, PAGE);
chance:
	a->chance = own.chance;
}

/* --- families ------------------------------------------------------------------ */

static void end_well(pid_t pid, bool killed)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	if (!killed || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		broken("a child ended with %#x", (unsigned int)status);
}

/* On its own copy of the buffer, or in memory that it shares. */
static void act_as_child(struct actor *a)
{
	struct profil_status st = { .size = sizeof(st) };

	a->chance.state ^= 0x5a5a5a5a5a5a5a5aU;
	a->alone = false;
	for (unsigned int i = any(a, 5); i > 0; i--) {
		burn(a);
		advise(a);
	}
	switch (any(a, 4)) {
	case 0:
		raise(SIGKILL);
		break;
	case 1:
		_exit(0);
	default:
		if (request(a->device, PROFIL_IOC_STOP, &st) != 0)
			broken("stop in a child");
		note_status(&st);
		if (a->running && !arena_guarded(&a->arena))
			broken("written outside of a child's buffer");
	}
	_exit(0);
}

static void fork_child(struct actor *a)
{
	bool killed = any(a, 3) == 0;
	pid_t pid = fork();

	if (pid < 0)
		return;
	if (pid == 0)
		act_as_child(a);
	did(DID_FORK);
	/* A buffer that it shares has its counts, too. */
	a->alone = false;
	burn(a);
	if (killed) {
		kill(pid, SIGKILL);
		did(DID_KILL_CHILD);
	}
	end_well(pid, true);
}

/* Kept out of the caller's frame, which vfork() shares. */
__attribute__((noinline)) static pid_t vfork_something(bool exec)
{
	static char *const argv[] = { (char *)"stress", (char *)"--nothing", NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		if (exec)
			execve("/proc/self/exe", argv, environ);
		_exit(exec ? 1 : 0);
	}
	return pid;
}

static void vfork_child(struct actor *a)
{
	bool exec = any(a, 2);
	pid_t pid = vfork_something(exec);

	if (pid < 0)
		return;
	did(exec ? DID_EXEC : DID_VFORK);
	end_well(pid, false);
}

/* Counts of two processes at once, in one memory, are all there. */
static void share_counters(struct actor *a)
{
	uint64_t *counters = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct profil_region region = { .buf = (uintptr_t)counters, .size = 8, .width = 8 };
	struct profil_histogram req = histogram_of(&region, 1);
	struct profil_status own = { .size = sizeof(own) };
	pid_t pid;

	if (counters == MAP_FAILED)
		return;
	stop_now(a);
	req.rate = PROFIL_RATE_FAST;
	if (request(a->device, PROFIL_IOC_HISTOGRAM, &req) != 0)
		goto unmap;
	burn(a);
	madvise(counters, PAGE, MADV_DONTNEED);
	pid = fork();
	burn(a);
	if (pid >= 0 && request(a->device, PROFIL_IOC_STOP, &own) == 0) {
		__atomic_fetch_add(&counters[PAGE / 8], own.counted, __ATOMIC_RELAXED);
		note_status(&own);
	}
	if (pid == 0)
		_exit(own.faults || own.dropped ? 2 : 0);
	if (pid > 0) {
		int status = 0;

		waitpid(pid, &status, 0);
		did(DID_SHARE);
		if (status == 0 && !own.faults && !own.dropped &&
		    counters[0] != counters[PAGE / 8])
			broken("shared: %llu in the counter, %llu counted",
			       (unsigned long long)counters[0],
			       (unsigned long long)counters[PAGE / 8]);
	}
unmap:
	/* Without a child, what was started still runs. */
	request(a->device, PROFIL_IOC_STOP, &own);
	munmap(counters, 2 * PAGE);
}

/* --- the status page ------------------------------------------------------------ */

/* The profile ends; the next start makes another. */
static void unmap_page(struct actor *a)
{
	struct profil_status st = { .size = sizeof(st) };

	if (!a->running || !a->page)
		return;
	munmap((void *)(uintptr_t)a->page, PAGE);
	did(DID_UNMAP_PAGE);
	if (!arena_guarded(&a->arena))
		broken("written outside of the buffer, and then unmapped");
	if (request(a->device, PROFIL_IOC_STATUS, &st) != 0 || st.mode != PROFIL_MODE_NONE)
		broken("a profile without its page");
	check_silence(a, &a->arena);
	a->running = false;
	a->page = 0;
}

static void move_page(struct actor *a)
{
	void *to;

	if (!a->running || !a->page)
		return;
	to = mremap((void *)(uintptr_t)a->page, PAGE, PAGE, MREMAP_MAYMOVE);
	if (to == MAP_FAILED)
		return;
	did(DID_REMAP_PAGE);
	a->page = (uintptr_t)to;
	mprotect(to, PAGE, PROT_NONE);
	mprotect(to, PAGE, PROT_READ);
}

/* --- one thread that does all, others that only work -------------------------------- */

static void *work_for_ever(void *arg)
{
	struct chance chance = chance_from((uintptr_t)arg, 1);

	for (;;) {
		hot_wide(1 + chance_of(&chance, 30));
		hot_syscall(1 + chance_of(&chance, 5));
		hot_a(1 + chance_of(&chance, 20000));
	}
	return NULL;
}

static void start_threads(struct actor *a)
{
	pthread_t thread;

	for (unsigned int i = any(a, 4); i > 0; i--)
		if (pthread_create(&thread, NULL, work_for_ever,
				   (void *)(uintptr_t)chance_next(&a->chance)) == 0)
			did(DID_THREAD);
}

typedef void action(struct actor *a);

static action *const actions[] = {
	start_anew, start_anew, start_anew, start_anew, stop_now, stop_now,
	burn, burn, burn, burn, advise, advise, advise, advise,
	protect, move_away_and_back, unmap_buffer_for_a_moment,
	fork_child, vfork_child, share_counters, unmap_page, move_page, ask_status,
	own_for_a_moment, own_for_a_moment,
};

static void act_in_order(struct actor *a)
{
	start_threads(a);
	for (unsigned int i = 20 + any(a, 100); i > 0; i--)
		actions[any(a, sizeof(actions) / sizeof(*actions))](a);
	if (any(a, 2))
		stop_now(a);
}

/* --- threads that all start, stop, and pull the ground away ------------------------- */

#define WILD_THREADS	4

static struct {
	struct arena arena;
	uint64_t page, own[WILD_THREADS];
	struct chance chance;
	uint32_t sink;
} wild;

static void wild_start(struct actor *a)
{
	struct profil_status last;

	a->arena = wild.arena;
	a->flags = any(a, 3) ? 0 : PROFIL_THREAD;
	if (any(a, 2) ? begin_samples(a, &last) : begin_histogram(a, &last))
		return;
	note_status(&last);
	if (a->flags)
		*a->own = a->page;
	__atomic_store_n(&wild.page, a->page, __ATOMIC_RELAXED);
}

static void wild_stop(struct actor *a)
{
	struct profil_status st = { .size = sizeof(st) };
	int err = request(a->device, PROFIL_IOC_STOP, &st);

	did(DID_STOP);
	if (err)
		broken("stop: %s", strerror(-err));
	else
		note_status(&st);
}

/* The caller's own, or whosever is at the page that was told last. */
static void wild_stop_own(struct actor *a)
{
	uint64_t page = any(a, 2) ? __atomic_load_n(&wild.page, __ATOMIC_RELAXED) : 0;
	struct profil_status st;
	int err = stop_own(a, page, &st);

	if (!err)
		note_status(&st);
	else if (!page || err != -EINVAL)
		broken("stop of a thread's own: %s", strerror(-err));
}

/* Its profile stays, until another thread needs it. */
static void *leave_one(void *arg)
{
	struct profil_region region = everything(&wild.sink, 4, 4);
	struct profil_histogram req = histogram_of(&region, 1);
	int err;

	req.rate = PROFIL_RATE_FAST;
	req.flags = PROFIL_THREAD;
	err = request(((struct actor *)arg)->device, PROFIL_IOC_HISTOGRAM, &req);
	if (err && err != -EDQUOT && !failed_well(err))
		broken("start in a thread that goes: %s", strerror(-err));
	did(DID_LEAVE);
	hot_a(1000);
	return NULL;
}

static void wild_crowd(struct actor *a)
{
	pthread_t threads[8];
	unsigned int n = 0;

	for (unsigned int i = 0; i < 8; i++)
		n += pthread_create(&threads[n], NULL, leave_one, a) == 0;
	while (n > 0)
		pthread_join(threads[--n], NULL);
}

/* Never where anything else could have come to be: this place was reserved. */
static void wild_unmap(struct actor *a)
{
	uint64_t page = __atomic_load_n(&wild.page, __ATOMIC_RELAXED);

	(void)a;
	if (page && mmap((void *)(uintptr_t)page, PAGE, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
		did(DID_UNMAP_PAGE);
}

static void wild_discard(struct actor *a)
{
	size_t bytes;
	char *from;

	(void)a;
	if (arena_interior(&wild.arena, &from, &bytes) &&
	    madvise(from, bytes, MADV_DONTNEED) == 0)
		did(DID_DISCARD);
}

static void wild_fork(struct actor *a)
{
	pid_t pid = fork();

	if (pid < 0)
		return;
	if (pid == 0) {
		struct profil_status st = { .size = sizeof(st) };

		burn(a);
		if (request(a->device, PROFIL_IOC_STOP, &st) == 0)
			note_status(&st);
		burn(a);
		if (stop_own(a, 0, &st) == 0)
			note_status(&st);
		_exit(0);
	}
	did(DID_FORK);
	if (any(a, 2))
		kill(pid, SIGKILL);
	end_well(pid, true);
}

static action *const wild_actions[] = {
	wild_start, wild_start, wild_start, wild_stop, wild_stop, wild_unmap,
	wild_discard, wild_discard, wild_discard, wild_fork, burn, burn, burn,
	wild_stop_own, wild_stop_own, wild_crowd,
};

static void *act_wildly(void *arg)
{
	struct actor a = {
		.chance = chance_from(wild.chance.state, (uintptr_t)arg),
		.device = open_device(),
		.own = &wild.own[(uintptr_t)arg - 1],
	};
	struct profil_status st;

	for (unsigned int i = 20 + any(&a, 100); i > 0; i--)
		wild_actions[any(&a, sizeof(wild_actions) / sizeof(*wild_actions))](&a);
	/* Or it is stopped when this thread has exited. */
	if (any(&a, 2) && stop_own(&a, 0, &st) == 0)
		note_status(&st);
	close(a.device);
	return NULL;
}

static void stop_what_threads_have_left(struct actor *a)
{
	struct profil_status st;

	for (unsigned int i = 0; i < WILD_THREADS; i++)
		if (wild.own[i] && stop_own(a, wild.own[i], &st) == 0)
			note_status(&st);
}

static void act_in_threads(struct actor *a)
{
	static const enum arena_kind wild_kinds[] = { ARENA_PRIVATE, ARENA_SHARED, ARENA_HUGE };
	struct profil_status st = { .size = sizeof(st) };
	pthread_t threads[WILD_THREADS];
	unsigned int n = 0;

	if (!arena_make(&wild.arena, wild_kinds[any(a, 3)], 256 << 10, any(a, PAGE)))
		return;
	wild.chance = a->chance;
	for (uintptr_t i = 0; i < WILD_THREADS; i++)
		if (pthread_create(&threads[n], NULL, act_wildly, (void *)(i + 1)) == 0)
			n++;
	did_many(DID_THREAD, n);
	while (n > 0)
		pthread_join(threads[--n], NULL);
	if (request(a->device, PROFIL_IOC_STOP, &st) == 0)
		note_status(&st);
	stop_what_threads_have_left(a);
	if (!arena_guarded(&wild.arena))
		broken("written outside of the buffer");
	arena_poison(&wild.arena);
	burn(a);
	if (!arena_poisoned(&wild.arena))
		broken("written after the last stop");
}

void act(uint64_t seed, uint64_t number)
{
	struct actor a = { .chance = chance_from(seed, number), .device = open_device() };

	outcome_name("actor %llu of seed %llu", (unsigned long long)number,
		     (unsigned long long)seed);
	did(DID_ACTORS);
	if (a.device < 0)
		broken("cannot open " DEVICE ": %s", strerror(errno));
	else if (any(&a, 3))
		act_in_order(&a);
	else
		act_in_threads(&a);
	_exit(0);
}
