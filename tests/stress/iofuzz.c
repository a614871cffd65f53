// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Requests and mappings that are valid but for a little, from several threads
 * of several processes at once:
 *
 *	iofuzz [-n REQUESTS] [-p PROCESSES] [-s SEED] [-a NUMBER]
 *
 * makes so many, in a guest, in TAP. -a does only what process NUMBER of a seed does. Buffers
 * lie between guards, or where a write hits nothing of the program's own.
 */
#include <pthread.h>

#include "arena.h"
#include "request.h"
#include "work.h"

#define THREADS		3
/* Requests of a thread before its process makes room for another. */
#define TURN		400
#define MOST_REGIONS	64
/* Without a request for so long, something hangs. */
#define QUIET_SECONDS	120

/*
 * Anything may be written here, and nothing lies within 64 TiB of it: counters
 * of a region can be anywhere in the region's buffer, whose size is mutated.
 */
#define SINK		((char *)0x100000000000UL)
#define SINK_SIZE	(64UL << 20)

enum fuzz_count {
	FUZZ_REQUESTS, FUZZ_GRANTED, FUZZ_REFUSED, FUZZ_MAPPINGS, FUZZ_STOPS,
	FUZZ_TICKS, FUZZ_COUNTED, FUZZ_DEFERRED,
	FUZZ_ERRNO,	/* and the errnos after it, as in errors[] */
};

static const int errors[] = { EFAULT, EINVAL, E2BIG, ENOTTY, EACCES, ENOMEM, EINTR, EBUSY };

#define ERRORS	(sizeof(errors) / sizeof(*errors))

/* Errors that a request has by itself, and others that happen. */
static const char *const names[] = {
	"requests", "granted", "refused", "mappings", "reports", "ticks",
	"ticks counted", "updates deferred", "EFAULT", "EINVAL", "E2BIG", "ENOTTY",
	"(EACCES)", "(ENOMEM)", "(EINTR)", "(EBUSY)", NULL,
};

static uint64_t requests = 100000;

/* Of one process, shared by its threads. */
static struct {
	struct arena arena;
	char *read_only;
	struct profil_region *regions;
	uint64_t page;
} mine;

/* A thread; @edge is a page, and after it one that nobody may touch. */
struct fuzzer {
	struct chance chance;
	int device;
	char *edge;
};

static unsigned int any(struct fuzzer *f, unsigned int n)
{
	return chance_of(&f->chance, n);
}

/* --- requests ------------------------------------------------------------------- */

/* Numbers at which something may change. */
static uint64_t odd_number(struct fuzzer *f)
{
	static const uint64_t list[] = {
		0, 1, 2, 3, 4, 7, 8, 0xffff, 0x10000, 0x10001, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, 1ULL << 40, 1ULL << 62, 1ULL << 63,
		UINT64_MAX - 4096, UINT64_MAX - 8, UINT64_MAX - 1, UINT64_MAX,
	};

	if (any(f, 4) == 0)
		return chance_next(&f->chance) >> any(f, 64);
	return list[any(f, sizeof(list) / sizeof(*list))];
}

/* Never one at which the program has something that may not be written. */
static uint64_t odd_address(struct fuzzer *f)
{
	switch (any(f, 8)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX - any(f, 8192);
	case 2:
		return 0xffff888000000000U + any(f, 1 << 30);
	case 3:
		return 0x7ffffffff000U - any(f, 16);
	case 4:
		return (uintptr_t)mine.read_only + any(f, PAGE);
	case 5:
		return (1ULL << 47) + any(f, 8192);
	case 6:
		return (uintptr_t)f->edge + PAGE + any(f, 16);
	default:
		return (uintptr_t)SINK + any(f, SINK_SIZE);
	}
}

/* With sizes of this order, a buffer at SINK reaches nothing else. */
static uint64_t odd_size(struct fuzzer *f)
{
	uint64_t size = odd_number(f);

	return size > (1ULL << 45) && size < (1ULL << 62) ? size >> 20 : size;
}

/* Where a size that is not the arena's can do no harm. */
static void mutate_size(struct fuzzer *f, __u64 *buf, __u64 *size)
{
	*buf = (uintptr_t)SINK + any(f, 2) * any(f, PAGE);
	*size = odd_size(f);
}

/* A refused address, which must not be large enough to come round to us. */
static void mutate_buf(struct fuzzer *f, __u64 *buf, __u64 *size)
{
	*buf = odd_address(f);
	*size = any(f, 16);
}

static struct profil_region good_region(struct fuzzer *f)
{
	static const unsigned char widths[] = { 2, 4, 8 };
	struct text text = any(f, 2) ? text_wide() : text_a();
	size_t from = any(f, (unsigned int)mine.arena.size);

	return (struct profil_region) {
		.buf = (uintptr_t)mine.arena.buf + from,
		.size = any(f, (unsigned int)(mine.arena.size - from) + 1),
		.offset = text.lo, .pc_end = any(f, 2) ? text.hi : 0,
		.scale = any(f, 3) ? 0x10000U << any(f, 8) : 0,
		.width = widths[any(f, 3)], .index = (uint8_t)any(f, 3),
		.on_fault = (uint8_t)any(f, 2),
	};
}

static void mutate_region(struct fuzzer *f, struct profil_region *r)
{
	switch (any(f, 14)) {
	case 0: mutate_buf(f, &r->buf, &r->size); break;
	case 1: mutate_size(f, &r->buf, &r->size); break;
	case 2: r->offset = odd_number(f); break;
	case 3: r->pc_start = any(f, 2) ? odd_number(f) : r->offset + any(f, 64); break;
	case 4: r->pc_end = odd_number(f); break;
	case 5: r->limit = odd_number(f); break;
	case 6: r->scale = (uint32_t)odd_number(f); break;
	case 7: r->width = (uint8_t)any(f, 12); break;
	case 8: r->index = (uint8_t)any(f, 5); break;
	case 9: r->at_limit = (uint8_t)any(f, 5); break;
	case 10: r->on_fault = (uint8_t)any(f, 4); break;
	case 11: r->flags = any(f, 4); break;
	case 12: r->reserved = any(f, 2); break;
	default:
		*r = (struct profil_region) {
			.buf = r->buf, .size = r->size, .width = 4,
			.flags = PROFIL_REGION_CATCH_ALL,
		};
	}
}

/* The errnos of each command, as profil(4) has them. */
static bool documented(unsigned long command, int err)
{
	switch (-err) {
	case ENOTTY:
		return _IOC_NR(command) >= 9;
	case 0: case EFAULT: case EINVAL: case E2BIG: case EINTR:
		return _IOC_NR(command) < 9;
	case EACCES: case ENOMEM: case EDQUOT:
		return command == PROFIL_IOC_HISTOGRAM || command == PROFIL_IOC_SAMPLES;
	default:
		return command == PROFIL_IOC_PATH && (err == -ENOENT || err == -ENAMETOOLONG);
	}
}

static void note_error(unsigned long command, int err)
{
	did(FUZZ_REQUESTS);
	did(err ? FUZZ_REFUSED : FUZZ_GRANTED);
	for (unsigned int i = 0; i < ERRORS; i++)
		if (err == -errors[i])
			did(FUZZ_ERRNO + i);
	if (!documented(command, err))
		broken("command %#lx: %s", command, strerror(-err));
}

static void note_status(const struct profil_status *st)
{
	did(FUZZ_STOPS);
	did_many(FUZZ_TICKS, st->ticks);
	did_many(FUZZ_COUNTED, st->counted);
	did_many(FUZZ_DEFERRED, st->deferred);
	MUST_ACCOUNT(st);
	MUST(arena_guarded(&mine.arena));
}

/* Where the argument of a request is: here, or so that its end is a page's. */
static int make(struct fuzzer *f, unsigned long command, void *arg, size_t size)
{
	char *at = arg;
	int err;

	if (any(f, 6) == 0) {
		size_t there = any(f, 3) ? size : any(f, (unsigned int)size + 1);

		at = memcpy(f->edge + PAGE - there, arg, there);
	} else if (any(f, 40) == 0) {
		at = (char *)(uintptr_t)odd_address(f);
		if (at >= SINK && at < SINK + SINK_SIZE)
			at = mine.read_only;
	}
	err = request(f->device, command, at);
	note_error(command, err);
	return at == arg ? err : -EAGAIN;
}

/* Others may change it while the kernel reads it: nothing in it is an address. */
static uint32_t share_regions(struct fuzzer *f, const struct profil_region *regions, uint32_t n)
{
	if (n > PAGE / sizeof(*regions))
		n = PAGE / sizeof(*regions);
	for (uint32_t i = 0; i < n; i++) {
		mine.regions[i].scale = regions[i].scale;
		mine.regions[i].width = regions[i].width;
		mine.regions[i].flags = regions[i].flags;
		mine.regions[i].limit = any(f, 100);
	}
	return n;
}

static void mutate_length(struct fuzzer *f, __u32 *size)
{
	*size = any(f, 2) ? (uint32_t)odd_number(f) : *size - any(f, *size);
}

/* What each request begins with, and where it wants its report. */
static void mutate_head(struct fuzzer *f, __u32 *size, __u64 *last)
{
	switch (any(f, 4)) {
	case 0: *last = odd_address(f); break;
	case 1: *last = 0; break;
	default: mutate_length(f, size);
	}
}

/* A start, and what of it all kinds have. */
static void start(struct fuzzer *f, unsigned long command, void *req, size_t size,
		  const __u64 *page, const struct profil_status *last)
{
	if (make(f, command, req, size) == 0) {
		note_status(last);
		__atomic_store_n(&mine.page, *page, __ATOMIC_RELAXED);
	}
}

static uint32_t any_rate(struct fuzzer *f)
{
	return any(f, 8) ? any(f, 3) : (uint32_t)odd_number(f);
}

static void fuzz_histogram(struct fuzzer *f)
{
	struct profil_region regions[MOST_REGIONS];
	uint32_t n = 1 + (any(f, 3) ? any(f, 3) : any(f, MOST_REGIONS));
	struct profil_status last = STATUS;
	struct profil_histogram req;

	for (uint32_t i = 0; i < n; i++)
		regions[i] = good_region(f);
	if (any(f, 2))
		mutate_region(f, &regions[any(f, n)]);
	req = (struct profil_histogram) HISTOGRAM_OF(regions, n, any_rate(f),
						     .last = (uintptr_t)&last);
	req.flags = any(f, 8) ? 0 : any(f, 64);
	req.tag = (uint32_t)f->chance.state;
	switch (any(f, 20)) {
	case 0: req.regions = odd_address(f); break;
	/* More than are allowed, or than there are behind it. */
	case 1: req.nregions = (uint32_t)odd_number(f) | 5000; break;
	case 2: req.region_size = (uint32_t)odd_number(f); break;
	case 3: mutate_head(f, &req.size, &req.last); break;
	case 4: req.nregions = 0; break;
	case 5:
		req.regions = (uintptr_t)mine.regions;
		req.nregions = share_regions(f, regions, n);
		break;
	default: break;
	}
	start(f, PROFIL_IOC_HISTOGRAM, &req, sizeof(req), &req.page, &last);
}

static void fuzz_samples(struct fuzzer *f)
{
	uint32_t width = any(f, 2) ? 4 : 8;
	struct profil_status last = STATUS;
	struct profil_samples req = SAMPLES(mine.arena.buf, mine.arena.size / width, width,
					    any_rate(f), .last = (uintptr_t)&last);
	__u64 bytes;

	req.flags = any(f, 8) ? 0 : any(f, 64);
	switch (any(f, 10)) {
	case 0: mutate_buf(f, &req.buf, &req.nsamples); break;
	case 1:
		mutate_size(f, &req.buf, &bytes);
		req.nsamples = bytes;
		break;
	case 2: req.width = any(f, 12); req.nsamples /= 4; break;
	case 3: req.nsamples = any(f, 100); break;
	case 4: req.reserved = 1; break;
	default: mutate_head(f, &req.size, &req.last); break;
	}
	start(f, PROFIL_IOC_SAMPLES, &req, sizeof(req), &req.page, &last);
}

/* All that a size that is granted says is there: the kernel clears the rest. */
union report {
	struct profil_status st;
	char bytes[PROFIL_SIZE_MAX];
};

static void odd_report(struct fuzzer *f, union report *report)
{
	memset(report, 0, sizeof(*report));
	report->st.size = any(f, 8) ? sizeof(report->st) : (uint32_t)odd_number(f);
}

/* One that is shorter than the counts does not say whether they add up. */
static void fuzz_report(struct fuzzer *f)
{
	bool stops = any(f, 7) < 5;
	union report report;

	odd_report(f, &report);
	if (make(f, stops ? PROFIL_IOC_STOP : PROFIL_IOC_STATUS, &report, sizeof(report.st)) == 0 &&
	    stops && report.st.size >= sizeof(report.st))
		note_status(&report.st);
}

/* The caller's own, or whatever is at some address. */
static void fuzz_thread(struct fuzzer *f)
{
	bool stops = any(f, 2);
	struct profil_thread req;
	union report report;

	odd_report(f, &report);
	req = thread_of(any(f, 2) ? 0 : __atomic_load_n(&mine.page, __ATOMIC_RELAXED), &report.st);
	switch (any(f, 12)) {
	case 0: req.page = odd_address(f); break;
	case 1: req.page += any(f, 64); break;
	case 2: req.reserved = any(f, 3); break;
	case 3: req.status = 0; break;
	case 4: req.status = (uintptr_t)mine.read_only; break;
	case 5: case 6: mutate_length(f, &req.size); break;
	default: break;
	}
	if (make(f, stops ? PROFIL_IOC_THREAD_STOP : PROFIL_IOC_THREAD_STATUS, &req,
		 sizeof(req)) == 0 && stops && report.st.size >= sizeof(report.st))
		note_status(&report.st);
}

static void fuzz_features(struct fuzzer *f)
{
	struct profil_features features = { .size = sizeof(features) };

	make(f, PROFIL_IOC_FEATURES, &features, sizeof(features));
}

static void fuzz_path(struct fuzzer *f)
{
	static char path[PAGE];
	struct profil_path req = {
		.size = sizeof(req), .bytes = any(f, sizeof(path) + 8), .path = (uintptr_t)path,
		.address = any(f, 3) ? (uintptr_t)fuzz_path : odd_address(f),
	};

	make(f, PROFIL_IOC_PATH, &req, sizeof(req));
}

/* Of our magic number, but none of ours. */
static void fuzz_command(struct fuzzer *f)
{
	char arg[512] = "";
	unsigned long command = _IOC(any(f, 4), PROFIL_IOC_MAGIC, 9 + any(f, 246), any(f, 512));
	int err = request(f->device, command, arg);

	note_error(command, err);
}

/* --- mappings --------------------------------------------------------------------- */

static void map_device(struct fuzzer *f)
{
	static const int flags[] = { MAP_SHARED, MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE };
	static const int protections[] = {
		PROT_READ, PROT_READ, PROT_NONE, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
	};
	size_t size = any(f, 3) ? PAGE : any(f, 4) * PAGE;
	int protection = protections[any(f, 5)];
	void *at = mmap(NULL, size, protection, flags[any(f, 4)], f->device,
			any(f, 4) ? 0 : (off_t)(any(f, 3) * PAGE));

	did(FUZZ_MAPPINGS);
	if (at == MAP_FAILED) {
		if (!strchr((const char[]){ EINVAL, EACCES, EBUSY, ENOMEM, EEXIST, EPERM,
					    EOPNOTSUPP, EOVERFLOW, 0 }, errno))
			broken("mmap: %m");
		return;
	}
	MUST_BE(size, PAGE);
	MUST(!(protection & PROT_WRITE));
	__atomic_store_n(&mine.page, (uintptr_t)at, __ATOMIC_RELAXED);
}

/* Each mapping is a page. */
static bool device_is_at(uintptr_t addr)
{
	char from[32], line[512];

	snprintf(from, sizeof(from), "%08lx-", addr);
	return mappings(from, line) && strstr(line, DEVICE);
}

static void change_page_at(struct fuzzer *f, char *page)
{
	static const int protections[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	int protection = protections[any(f, 3)];

	did(FUZZ_MAPPINGS);
	switch (any(f, 5)) {
	case 0:
		munmap(page, PAGE);
		break;
	case 1:
		/* An old size of 0 makes a copy of a shared mapping. */
		MUST(mremap(page, any(f, 2) * PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
		break;
	case 2:
		/* Without a mapping there, ENOMEM. */
		MUST(mprotect(page, PAGE, protection) != 0 || !(protection & PROT_WRITE));
		break;
	case 3:
		madvise(page, PAGE, (int)any(f, 26));
		break;
	default:
		mlock(page, PAGE);
	}
}

/*
 * One thread at a time unmaps: or what is there may be another's by now, its
 * stack or the edge of its requests.
 */
static void change_page(struct fuzzer *f)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	uintptr_t page;

	pthread_mutex_lock(&one);
	page = __atomic_load_n(&mine.page, __ATOMIC_RELAXED);
	if (page && device_is_at(page))
		change_page_at(f, (char *)page);
	pthread_mutex_unlock(&one);
}

/* --- processes ----------------------------------------------------------------------- */

/* Ticks find pages absent. */
static void work(struct fuzzer *f)
{
	size_t bytes;
	char *from;

	madvise(SINK, SINK_SIZE, MADV_DONTNEED);
	if (arena_interior(&mine.arena, &from, &bytes))
		madvise(from, bytes, MADV_DONTNEED);
	hot_wide(any(f, 60));
}

static void fuzz_once(struct fuzzer *f)
{
	static const struct {
		unsigned int of_200;
		void (*fuzz)(struct fuzzer *f);
	} list[] = {
		{ 70, fuzz_histogram }, { 40, fuzz_samples }, { 35, fuzz_report },
		{ 10, fuzz_thread }, { 3, fuzz_features }, { 2, fuzz_path },
		{ 5, fuzz_command }, { 12, map_device }, { 12, change_page }, { 11, work },
	};
	unsigned int what = any(f, 200), i = 0;

	for (; what >= list[i].of_200; i++)
		what -= list[i].of_200;
	list[i].fuzz(f);
}

static void *map(void *at, size_t size, int protection)
{
	void *mem = mmap(at, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			 (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	if (mem == MAP_FAILED) {
		broken("mmap: %m");
		_exit(1);
	}
	return mem;
}

static void *fuzz_in_thread(void *arg)
{
	uint64_t number = (uintptr_t)arg;
	struct fuzzer f = { .chance = chance_from(run.seed, number), .device = open_device() };
	struct profil_status st = STATUS;
	struct profil_thread own = thread_of(0, &st);

	if (f.device < 0)
		broken("cannot open " DEVICE ": %m");
	f.edge = map(NULL, 2 * PAGE, PROT_READ | PROT_WRITE);
	mprotect(f.edge + PAGE, PAGE, PROT_NONE);
	for (unsigned int i = 0; i < TURN; i++)
		fuzz_once(&f);
	/*
	 * Ticks come still when it has been joined, until it has let go of its memory.
	 * Some leave their profile, for the process's end to stop.
	 */
	if (any(&f, 4) && request(f.device, PROFIL_IOC_THREAD_STOP, &own) == 0)
		note_status(&st);
	close(f.device);
	return NULL;
}

/* The regions that threads change under the kernel's eyes are all in the sink. */
static void prepare(struct chance *chance)
{
	map(SINK, SINK_SIZE, PROT_READ | PROT_WRITE);
	mine.read_only = map(NULL, PAGE, PROT_READ);
	mine.regions = map(NULL, PAGE, PROT_READ | PROT_WRITE);
	for (size_t i = 0; i < PAGE / sizeof(*mine.regions); i++)
		mine.regions[i] = (struct profil_region) {
			.buf = (uintptr_t)SINK + i * 65536, .size = 65536,
			.offset = text_wide().lo, .width = 2,
		};
	if (!arena_make(&mine.arena, chance_of(chance, 2) ? ARENA_PRIVATE : ARENA_SHARED,
			256 << 10, chance_of(chance, PAGE)))
		_exit(1);
}

static void fuzz(uint64_t number)
{
	struct chance chance = chance_from(run.seed, number);
	pthread_t threads[THREADS];
	struct profil_status st = STATUS;
	unsigned int n = 0;
	int device;

	prepare(&chance);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[n], NULL, fuzz_in_thread,
				   (void *)(uintptr_t)(number * THREADS + i)) == 0)
			n++;
	while (n > 0)
		pthread_join(threads[--n], NULL);
	device = open_device();
	if (request(device, PROFIL_IOC_STOP, &st) == 0)
		note_status(&st);
	arena_poison(&mine.arena);
	hot_a(200000);
	MUST(arena_poisoned(&mine.arena));
}

/* --- all of it -------------------------------------------------------------------------- */

/* False when nothing gets on. */
static bool run_requests(void)
{
	struct chance chance = chance_from(run.seed, 1ULL << 40);
	uint64_t seen = 0, since = now_ns(), made;

	while ((made = outcome->counts[FUZZ_REQUESTS]) < requests) {
		run_go_on();
		if (chance_one_in(&chance, 200))
			run_kill_one(&chance);
		sleep_ms(10);
		if (made != seen) {
			seen = made;
			since = now_ns();
		} else if (now_ns() - since > QUIET_SECONDS * 1000000000ULL * slowness()) {
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	run = (struct run) {
		.usage = "iofuzz [-n REQUESTS] [-p PROCESSES] [-s SEED] [-a NUMBER]",
		.letters = "n:", .processes = 4, .body = fuzz,
	};
	while (run_option(argc, argv) != -1)
		requests = strtoull(optarg, NULL, 0);
	note("seed %llu, %llu requests by %u processes of %u threads",
	    (unsigned long long)run.seed, (unsigned long long)requests, run.processes, THREADS);
	tap(run_requests(), "the requests are all answered");
	tap_outcome(names);
	return tap_end();
}
