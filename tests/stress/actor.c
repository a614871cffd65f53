// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the processes of a stress run do; see actor.h. */
#include <pthread.h>

#include "actor.h"
#include "arena.h"
#include "request.h"
#include "work.h"

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
 */
struct actor {
	struct chance chance;
	int device;
	struct arena arena;
	bool running, samples, intact, alone;
	unsigned int width;
	uint64_t page;
	uint32_t flags;
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
			.buf = (uintptr_t)a->arena.buf + i * part, .size = part,
			.offset = text.lo, .pc_end = text.hi, .width = (uint8_t)a->width,
			.scale = any(a, 3) ? (uint32_t)scale : 0,
			.index = (uint8_t)any(a, 3), .on_fault = (uint8_t)any(a, 2),
		};
	}
	if (any(a, 4) == 0) {
		regions[0].offset = regions[0].pc_end = regions[0].scale = 0;
		regions[0].flags = PROFIL_REGION_CATCH_ALL;
	}
	return n;
}

static uint32_t any_flags(struct actor *a, uint32_t rate)
{
	uint32_t flags = a->flags | (any(a, 5) ? 0 : PROFIL_USER_ONLY);

	if (rate == PROFIL_RATE_FAST && any(a, 4) == 0)
		flags |= PROFIL_RANDOM;
	return flags;
}

static void note_status(const struct profil_status *st)
{
	did_many(DID_TICKS, st->ticks);
	did_many(DID_COUNTED, st->counted);
	did_many(DID_DROPPED, st->dropped);
	did_many(DID_DEFERRED, st->deferred);
	did_many(DID_FAULTS, st->faults);
	MUST_ACCOUNT(st);
}

static int begin_samples(struct actor *a, uint32_t rate, struct profil_status *last)
{
	unsigned int width = a->width = any(a, 2) ? 4 : 8;
	struct profil_samples req = SAMPLES(a->arena.buf, a->arena.size / width, width, rate,
					    .flags = any_flags(a, rate), .last = (uintptr_t)last);
	int err = request(a->device, PROFIL_IOC_SAMPLES, &req);

	a->page = req.page;
	did(DID_START_SAMPLES);
	return err;
}

static int begin_histogram(struct actor *a, uint32_t rate, struct profil_status *last)
{
	struct profil_region regions[MOST_REGIONS + 1];
	uint32_t n = make_regions(a, regions);
	struct profil_histogram req = HISTOGRAM_OF(regions, n, rate, .flags = any_flags(a, rate),
						   .last = (uintptr_t)last);
	int err = request(a->device, PROFIL_IOC_HISTOGRAM, &req);

	a->page = req.page;
	did(DID_START_HISTOGRAM);
	return err;
}

/* In a new buffer; false if there is no memory. */
static bool begin(struct actor *a, struct profil_status *last)
{
	uint32_t rate = any(a, 4) ? PROFIL_RATE_FAST : any(a, 3);
	int err;

	if (!make_arena(a))
		return false;
	arena_clear(&a->arena);
	*last = STATUS;
	a->samples = any(a, 3) == 0;
	err = a->samples ? begin_samples(a, rate, last) : begin_histogram(a, rate, last);
	a->running = a->intact = a->alone = !err;
	if (!err)
		return true;
	/* Only what memory, or a signal that kills, can explain. */
	if (err != -ENOMEM && err != -EINTR && err != -EAGAIN)
		broken("start with flags %u: %s", a->flags, strerror(-err));
	arena_free(&a->arena);
	return false;
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
		uint64_t value = counter(arena->buf, i, a->width);

		total += a->samples ? value != 0 : value;
	}
	did(DID_SUMS);
	MUST_BE(total, a->samples ? st->nsamples : st->counted - st->saturated);
}

/* @a describes the profile that has stopped, in @arena. */
static void check_stopped(const struct actor *a, struct arena *arena,
			  const struct profil_status *st)
{
	note_status(st);
	MUST(arena_guarded(arena));
	check_sum(a, arena, st);
}

/* Long enough for whatever might still come. */
static void check_silence(struct actor *a, struct arena *arena)
{
	arena_poison(arena);
	burn(a);
	MUST(arena_poisoned(arena));
	arena_free(arena);
}

static void start_anew(struct actor *a)
{
	struct actor was = *a;
	struct profil_status last;

	if (!begin(a, &last)) {
		was.chance = a->chance;
		*a = was;
	} else if (was.running) {
		did(DID_REPLACE);
		check_stopped(&was, &was.arena, &last);
		check_silence(a, &was.arena);
	}
}

static void stop_now(struct actor *a)
{
	struct profil_status st = STATUS;

	if (!a->running)
		return;
	MUST_BE(request(a->device, PROFIL_IOC_STOP, &st), 0);
	did(DID_STOP);
	check_stopped(a, &a->arena, &st);
	check_silence(a, &a->arena);
	a->running = false;
}

static void ask_status(struct actor *a)
{
	struct profil_status st = STATUS;

	MUST_BE(request(a->device, PROFIL_IOC_STATUS, &st), 0);
}

static bool collapse(const struct arena *arena)
{
	/* The kernel declines where nothing is mapped, or nothing writable. */
	arena_touch(arena);
	/* With the guards, which stay what they are: else there is no room for a huge page. */
	return madvise(arena->map, arena->bytes, MADV_COLLAPSE) == 0;
}

static void advise(struct actor *a, char *from, size_t bytes)
{
	static const struct {
		int advice;
		enum stress_count count;
		bool loses;
	} list[] = {
		{ MADV_DONTNEED, DID_DISCARD, true }, { MADV_DONTNEED, DID_DISCARD, true },
		{ MADV_PAGEOUT, DID_PAGEOUT, false }, { MADV_COLD, DID_COLD, false },
		{ MADV_FREE, DID_FREE, true }, { MADV_MERGEABLE, DID_MERGEABLE, false },
	};
	unsigned int i = any(a, sizeof(list) / sizeof(*list));

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
static void protect(struct actor *a, char *from, size_t bytes)
{
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
static void move(struct actor *a, char *from, size_t bytes)
{
	char *there = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (there == MAP_FAILED)
		return;
	if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, there) != there) {
		munmap(there, bytes);
		return;
	}
	did(DID_REMAP);
	if (any(a, 2))
		burn(a);
	while (mremap(there, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, from) != from)
		sched_yield();
}

static void unmap(struct actor *a, char *from, size_t bytes)
{
	a->intact = false;
	munmap(from, bytes);
	did(DID_UNMAP_BUFFER);
	burn(a);
	while (mmap(from, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != from)
		sched_yield();
}

static void change_buffer(struct actor *a)
{
	static void (*const changes[])(struct actor *a, char *from, size_t bytes) = {
		advise, advise, advise, advise, protect, move, unmap,
	};
	size_t bytes;
	char *from;

	if (a->running && arena_interior(&a->arena, &from, &bytes))
		changes[any(a, 7)](a, from, bytes);
}

/* This thread's own, beside what the process has. */
static void own_for_a_moment(struct actor *a)
{
	struct actor own = { .chance = a->chance, .device = a->device, .flags = PROFIL_THREAD };
	struct profil_status st;
	struct profil_thread req;

	if (begin(&own, &st)) {
		for (unsigned int i = any(&own, 6); i > 0; i--)
			(any(&own, 2) ? burn : change_buffer)(&own);
		st = STATUS;
		req = thread_of(any(&own, 2) ? own.page : 0, &st);
		MUST_BE(request(own.device, PROFIL_IOC_THREAD_STOP, &req), 0);
		did(DID_STOP_OWN);
		check_stopped(&own, &own.arena, &st);
		check_silence(&own, &own.arena);
		if (any(&own, 2))
			munmap((void *)(uintptr_t)own.page, PAGE);
	}
	a->chance = own.chance;
}

/* On its own copy of the buffer, or in memory that it shares. */
static void act_as_child(struct actor *a)
{
	struct profil_status st = STATUS;

	a->chance.state ^= 0x5a5a5a5a5a5a5a5aU;
	a->alone = false;
	for (unsigned int i = any(a, 5); i > 0; i--) {
		burn(a);
		change_buffer(a);
	}
	switch (any(a, 4)) {
	case 0:
		raise(SIGKILL);
		break;
	case 1:
		_exit(0);
	default:
		MUST_BE(request(a->device, PROFIL_IOC_STOP, &st), 0);
		note_status(&st);
		MUST(!a->running || arena_guarded(&a->arena));
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
	ended_well(pid, true);
}

static void vfork_child(struct actor *a)
{
	bool exec = any(a, 2);
	pid_t pid = vfork_something(exec);

	if (pid < 0)
		return;
	did(exec ? DID_EXEC : DID_VFORK);
	ended_well(pid, false);
}

/* The profile ends; the next start makes another. */
static void unmap_page(struct actor *a)
{
	struct profil_status st = STATUS;

	if (!a->running || !a->page)
		return;
	munmap((void *)(uintptr_t)a->page, PAGE);
	did(DID_UNMAP_PAGE);
	MUST(arena_guarded(&a->arena));
	MUST_BE(request(a->device, PROFIL_IOC_STATUS, &st), 0);
	MUST_BE(st.mode, PROFIL_MODE_NONE);
	check_silence(a, &a->arena);
	a->running = false;
	a->page = 0;
}

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

static void (*const actions[])(struct actor *a) = {
	start_anew, start_anew, start_anew, start_anew, stop_now, stop_now, burn, burn, burn, burn,
	change_buffer, change_buffer, change_buffer, change_buffer, change_buffer, change_buffer,
	change_buffer, fork_child, vfork_child, unmap_page, ask_status,
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

void act(uint64_t number)
{
	struct actor a = { .chance = chance_from(run.seed, number), .device = open_device() };

	did(DID_ACTORS);
	if (a.device < 0)
		broken("cannot open " DEVICE ": %s", strerror(errno));
	else
		act_in_order(&a);
}
