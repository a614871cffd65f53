// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation and each copy from and to user memory of every path into the
 * module fails, one at a time:
 *
 *	faultinj [TEXT...]
 *
 * in a guest with the debug kernel, as root; only the paths whose names contain
 * one of TEXT. Each attempt is a process of its own: it prepares, has the n-th
 * thing fail in what it then does, and looks at what became of it. A path is
 * done when nothing was left to fail. Reports in TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "group.h"
#include "outcome.h"
#include "request.h"
#include "work.h"

#define PAGE		4096UL
#define MANY_REGIONS	600
#define OLD_TAG		17
#define NEW_TAG		18
/* More than any path has; a path that never ends is broken. */
#define MOST_FAILURES	3000

#define TUNABLES	"GLIBC_TUNABLES"

/* Exit status of an attempt. */
enum { ATTEMPT_FAILED, ATTEMPT_BROKEN, ATTEMPT_NOTHING_FAILED };

static uint32_t old_counter, new_counter;
static struct profil_region *regions;
static uint64_t *array;
static int device = -1, nth = -1;

/* --- the n-th failure ------------------------------------------------------------ */

static void arm(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth, text, (size_t)length, 0) != length)
		broken("fail-nth: %s", strerror(errno));
}

/* True if something has failed. What is left to count, these calls count, too. */
static bool disarm(void)
{
	char text[16] = "";
	ssize_t n = pread(nth, text, sizeof(text) - 1, 0);
	bool failed = n > 0 && strtoul(text, NULL, 10) == 0;

	while (pwrite(nth, "0", 1, 0) != 1)
		;
	return failed;
}

static void fail_everything(void)
{
	static const char *const settings[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_usercopy/verbose", "0" },
	};
	char path[128];

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", settings[i][0]);
		if (write_file(path, settings[i][1]) != 0)
			broken("%s: %s", path, strerror(errno));
	}
}

/* --- what is there before, and after ---------------------------------------------- */

static int begin_old(void)
{
	struct profil_region region = everything(&old_counter, 4, 4);
	struct profil_histogram req = histogram_of(&region, 1);
	int err;

	req.rate = PROFIL_RATE_TICK;
	req.tag = OLD_TAG;
	err = request(device, PROFIL_IOC_HISTOGRAM, &req);
	if (err)
		broken("the start before: %s", strerror(-err));
	return err;
}

static struct profil_status status_now(void)
{
	struct profil_status st = { .size = sizeof(st) };
	int err = request(device, PROFIL_IOC_STATUS, &st);

	if (err)
		broken("status: %s", strerror(-err));
	return st;
}

static bool counts_on(void)
{
	struct profil_status st = status_now();
	uint64_t until = st.ticks + 2;

	for (int i = 0; i < 3000 && st.ticks < until; i++) {
		hot_a(20000);
		st = status_now();
	}
	return st.ticks >= until;
}

/* A stop accounts, whatever ran; afterwards nothing does. */
static void check_stop(const uint32_t *counter)
{
	struct profil_status st = { .size = sizeof(st) };
	int err = request(device, PROFIL_IOC_STOP, &st);

	if (err)
		broken("the stop after: %s", strerror(-err));
	if (!accounts(&st))
		broken("the stop after does not account");
	if (counter && *counter != st.counted)
		broken("%u in the counter, %llu counted", *counter,
		       (unsigned long long)st.counted);
	if (status_now().state == PROFIL_STATE_ON)
		broken("runs on after the stop");
}

static void check_old_goes_on(void)
{
	struct profil_status st = status_now();

	if (st.state != PROFIL_STATE_ON || st.tag != OLD_TAG)
		broken("the profile before is not on: state %u, tag %u", st.state, st.tag);
	else if (!counts_on())
		broken("the profile before counts no more");
	check_stop(&old_counter);
}

/*
 * The profile before runs as it did. Or none does: the result could not be
 * delivered, and what was started was stopped again.
 */
static void check_failed_start(bool had_old)
{
	struct profil_status st = status_now();

	if (st.state == PROFIL_STATE_ON && st.tag == OLD_TAG && had_old)
		check_old_goes_on();
	else if (st.state == PROFIL_STATE_ON)
		broken("a start that failed has started: tag %u", st.tag);
	else
		check_stop(NULL);
}

static void check_start(int err, bool had_old)
{
	struct profil_status st = { .size = sizeof(st) };

	if (err) {
		if (err != -ENOMEM && err != -EFAULT)
			broken("start: %s", strerror(-err));
		check_failed_start(had_old);
	} else {
		st = status_now();
		if (st.state != PROFIL_STATE_ON || st.tag != NEW_TAG)
			broken("a start that has not failed: state %u, tag %u", st.state, st.tag);
		if (!counts_on())
			broken("a start that has not failed does not count");
		check_stop(NULL);
	}
	/* And it can be had again. */
	if (begin_old() == 0) {
		old_counter = 0;
		check_stop(NULL);
	}
}

/* --- the paths ----------------------------------------------------------------------- */

static int start_new(uint32_t n)
{
	struct profil_histogram req = histogram_of(regions, n);
	struct profil_status last = { .size = sizeof(last) };
	int err;

	req.rate = PROFIL_RATE_TICK;
	req.tag = NEW_TAG;
	req.last = (uintptr_t)&last;
	err = request(device, PROFIL_IOC_HISTOGRAM, &req);
	if (!err && !accounts(&last))
		broken("what was replaced does not account");
	return err;
}

static int start_new_array(void)
{
	struct profil_samples req = samples_of(array, PAGE / 8, 8);

	req.rate = PROFIL_RATE_FAST;
	req.tag = NEW_TAG;
	return request(device, PROFIL_IOC_SAMPLES, &req);
}

static bool try_first_histogram(unsigned int n)
{
	bool failed;
	int err;

	arm(n);
	err = start_new(1);
	failed = disarm();
	check_start(err, false);
	return failed;
}

static bool try_first_samples(unsigned int n)
{
	bool failed;
	int err;

	arm(n);
	err = start_new_array();
	failed = disarm();
	check_start(err, false);
	return failed;
}

static bool try_replacing_histogram(unsigned int n)
{
	bool failed;
	int err;

	begin_old();
	hot_a(20000);
	arm(n);
	err = start_new(MANY_REGIONS);
	failed = disarm();
	check_start(err, true);
	return failed;
}

static bool try_replacing_samples(unsigned int n)
{
	bool failed;
	int err;

	begin_old();
	hot_a(20000);
	arm(n);
	err = start_new_array();
	failed = disarm();
	check_start(err, true);
	return failed;
}

/* Its updates wait for pages when it is replaced. */
static bool try_replacing_what_waits(unsigned int n)
{
	struct profil_region region = everything(array, 8, 8);
	struct profil_histogram req = histogram_of(&region, 1);
	bool failed;
	int err;

	req.rate = PROFIL_RATE_FAST;
	req.tag = OLD_TAG;
	if (request(device, PROFIL_IOC_HISTOGRAM, &req) != 0)
		broken("the start before");
	/* Until a tick has found it absent, or will. */
	hot_a(100000);
	madvise(array, PAGE, MADV_DONTNEED);
	hot_a(100000);
	arm(n);
	err = start_new(1);
	failed = disarm();
	if (err && err != -ENOMEM && err != -EFAULT)
		broken("start: %s", strerror(-err));
	check_stop(NULL);
	return failed;
}

static bool try_stop(unsigned int n)
{
	struct profil_status st = { .size = sizeof(st) };
	bool failed;
	int err;

	begin_old();
	hot_a(20000);
	arm(n);
	err = request(device, PROFIL_IOC_STOP, &st);
	failed = disarm();
	if (err && err != -EFAULT && err != -ENOMEM)
		broken("stop: %s", strerror(-err));
	if (!err && (!accounts(&st) || st.counted != old_counter))
		broken("stop: %u in the counter, %llu counted", old_counter,
		       (unsigned long long)st.counted);
	/* On as before; or off, and only the report is lost. */
	if (err && status_now().state == PROFIL_STATE_ON)
		check_old_goes_on();
	else if (status_now().state == PROFIL_STATE_ON)
		broken("runs on after a stop");
	return failed;
}

static bool try_status(unsigned int n)
{
	struct profil_status st = { .size = sizeof(st) };
	bool failed;
	int err;

	begin_old();
	arm(n);
	err = request(device, PROFIL_IOC_STATUS, &st);
	failed = disarm();
	if (err && err != -EFAULT)
		broken("status: %s", strerror(-err));
	check_old_goes_on();
	return failed;
}

/* --- a thread's own profile, beside the one before ---------------------------------- */

static int start_own(void)
{
	struct profil_region region = everything(&new_counter, 4, 4);
	struct profil_histogram req = histogram_of(&region, 1);
	struct profil_status last = { .size = sizeof(last) };

	new_counter = 0;
	req.rate = PROFIL_RATE_TICK;
	req.flags = PROFIL_THREAD;
	req.tag = NEW_TAG;
	req.last = (uintptr_t)&last;
	return request(device, PROFIL_IOC_HISTOGRAM, &req);
}

static int own(unsigned long command, struct profil_status *st)
{
	struct profil_thread req = thread_of(0, st);

	*st = (struct profil_status) { .size = sizeof(*st) };
	return request(device, command, &req);
}

static struct profil_status own_now(void)
{
	struct profil_status st;
	int err = own(PROFIL_IOC_THREAD_STATUS, &st);

	if (err)
		broken("status of the own: %s", strerror(-err));
	return st;
}

static bool own_counts_on(void)
{
	uint64_t until = own_now().ticks + 2;

	for (int i = 0; i < 3000 && own_now().ticks < until; i++)
		hot_a(20000);
	return own_now().ticks >= until;
}

/* Either way the process's goes on when it has stopped. */
static void check_own(bool on)
{
	struct profil_status st;
	int err;

	if ((own_now().state == PROFIL_STATE_ON) != on)
		broken("the own is %s", on ? "not on" : "on");
	if (on && !own_counts_on())
		broken("the own does not count");
	err = own(PROFIL_IOC_THREAD_STOP, &st);
	if (err)
		broken("the stop of the own after: %s", strerror(-err));
	if (!accounts(&st) || (on && st.counted != new_counter))
		broken("%u in the own's counter, %llu counted", new_counter,
		       (unsigned long long)st.counted);
	check_old_goes_on();
}

static bool try_start_own(unsigned int n)
{
	bool failed;
	int err;

	begin_old();
	arm(n);
	err = start_own();
	failed = disarm();
	if (err && err != -ENOMEM && err != -EFAULT)
		broken("start of the own: %s", strerror(-err));
	check_own(!err);
	return failed;
}

static bool try_own(unsigned int n, unsigned long command)
{
	struct profil_status st;
	bool failed;
	int err;

	begin_old();
	if (start_own() != 0)
		broken("the start of the own before");
	arm(n);
	err = own(command, &st);
	failed = disarm();
	if (err && err != -EFAULT && err != -ENOMEM)
		broken("own, command %#lx: %s", command, strerror(-err));
	check_own(own_now().state == PROFIL_STATE_ON);
	if (!err && command == PROFIL_IOC_THREAD_STOP && st.state != PROFIL_STATE_OFF)
		broken("a stop that has not failed: state %u", st.state);
	return failed;
}

static bool try_own_status(unsigned int n)
{
	return try_own(n, PROFIL_IOC_THREAD_STATUS);
}

static bool try_own_stop(unsigned int n)
{
	return try_own(n, PROFIL_IOC_THREAD_STOP);
}

static bool try_features(unsigned int n)
{
	struct profil_features features = { .size = sizeof(features) };
	bool failed;
	int err;

	begin_old();
	arm(n);
	err = request(device, PROFIL_IOC_FEATURES, &features);
	failed = disarm();
	if (err && err != -EFAULT)
		broken("features: %s", strerror(-err));
	check_old_goes_on();
	return failed;
}

static bool try_open(unsigned int n)
{
	bool failed;
	int fd;

	begin_old();
	arm(n);
	fd = open_device();
	failed = disarm();
	if (fd >= 0)
		close(fd);
	check_old_goes_on();
	return failed;
}

static bool try_mmap(unsigned int n)
{
	bool failed;
	void *page;
	int err;

	arm(n);
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, device, 0);
	err = page == MAP_FAILED ? errno : 0;
	failed = disarm();
	if (err && err != ENOMEM)
		broken("mmap: %s", strerror(err));
	/* A page that was not mapped has left no profile behind. */
	if (begin_old() == 0)
		check_old_goes_on();
	return failed;
}

static void *map_page(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, device, 0);

	if (page == MAP_FAILED)
		broken("mmap: %s", strerror(errno));
	begin_old();
	return page;
}

static bool try_munmap(unsigned int n)
{
	void *page = map_page();
	bool failed;
	int err;

	arm(n);
	err = munmap(page, PAGE);
	failed = disarm();
	if (err == 0 && status_now().mode != PROFIL_MODE_NONE)
		broken("a profile without its page");
	if (err != 0)
		check_old_goes_on();
	return failed;
}

static bool try_moving(unsigned int n)
{
	void *page = map_page();
	char *there = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool failed;

	arm(n);
	mremap(page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, there);
	failed = disarm();
	check_old_goes_on();
	return failed;
}

/* Profiled or, without memory, not: it can always stop and start. */
__attribute__((noreturn)) static void be_a_child(void)
{
	struct profil_status st;

	while (pwrite(nth, "0", 1, 0) != 1)
		;
	if (own_now().state == PROFIL_STATE_ON && !own_counts_on())
		broken("a child's own profile does not count");
	if (own(PROFIL_IOC_THREAD_STOP, &st) != 0 || !accounts(&st))
		broken("the stop of a child's own");
	st = status_now();
	if (st.state == PROFIL_STATE_ON && !counts_on())
		broken("a child's profile does not count");
	check_stop(NULL);
	begin_old();
	check_stop(NULL);
	_exit(0);
}

static bool try_fork_of(unsigned int n)
{
	bool failed;
	int status, err;
	pid_t pid;

	hot_a(20000);
	arm(n);
	pid = fork();
	err = errno;
	if (pid == 0)
		be_a_child();
	failed = disarm();
	if (pid < 0 && err != ENOMEM && err != EAGAIN)
		broken("fork: %s", strerror(err));
	if (pid > 0) {
		waitpid(pid, &status, 0);
		/* What failed may be what the child needs to begin. */
		if (status != 0 && !WIFSIGNALED(status))
			broken("a child ended with %#x", (unsigned int)status);
	}
	return failed;
}

static bool try_fork_histogram(unsigned int n)
{
	bool failed;

	begin_old();
	failed = try_fork_of(n);
	check_old_goes_on();
	return failed;
}

/* The child has both, or it has not. */
static bool try_fork_own(unsigned int n)
{
	bool failed;

	begin_old();
	if (start_own() != 0)
		broken("the start of the own before");
	failed = try_fork_of(n);
	check_own(true);
	return failed;
}

static bool try_fork_samples(unsigned int n)
{
	bool failed;

	if (start_new_array() != 0)
		broken("the start before");
	failed = try_fork_of(n);
	if (!counts_on() && status_now().state != PROFIL_STATE_FULL)
		broken("the profile before counts no more");
	check_stop(NULL);
	return failed;
}

static bool try_fork_many_regions(unsigned int n)
{
	bool failed;

	if (start_new(MANY_REGIONS) != 0)
		broken("the start before");
	failed = try_fork_of(n);
	if (!counts_on())
		broken("the profile before counts no more");
	check_stop(NULL);
	return failed;
}

static const struct {
	const char *name;
	bool (*try)(unsigned int n);
} paths[] = {
	{ "features are asked for", try_features },
	{ "the status is asked for", try_status },
	{ "the device is opened", try_open },
	{ "the status page is mapped", try_mmap },
	{ "the status page is unmapped", try_munmap },
	{ "the status page is moved", try_moving },
	{ "a first histogram is started", try_first_histogram },
	{ "a first sample array is started", try_first_samples },
	{ "a histogram of 600 regions replaces a profile", try_replacing_histogram },
	{ "a sample array replaces a profile", try_replacing_samples },
	{ "a profile is replaced whose updates wait", try_replacing_what_waits },
	{ "a profile is stopped", try_stop },
	{ "a thread starts its own profile", try_start_own },
	{ "a thread asks for its own profile", try_own_status },
	{ "a thread stops its own profile", try_own_stop },
	{ "a process with a histogram forks", try_fork_histogram },
	{ "a process with a sample array forks", try_fork_samples },
	{ "a thread with its own profile forks", try_fork_own },
	{ "a process with 600 regions forks", try_fork_many_regions },
};

#define PATHS	(sizeof(paths) / sizeof(*paths))

/* --- attempts -------------------------------------------------------------------------- */

static void prepare(void)
{
	regions = mmap(NULL, MANY_REGIONS * sizeof(*regions), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	array = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (regions == MAP_FAILED || array == MAP_FAILED)
		broken("mmap: %s", strerror(errno));
	for (uint32_t i = 0; i < MANY_REGIONS; i++)
		regions[i] = everything(&new_counter, 4, 4);
	device = open_device();
	nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (device < 0 || nth < 0)
		broken("open: %s", strerror(errno));
}

static int attempt(bool (*try)(unsigned int n), unsigned int n)
{
	uint64_t was = outcome->broken;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		prepare();
		_exit(try(n) ? ATTEMPT_FAILED : ATTEMPT_NOTHING_FAILED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
		broken("failure %u: the process ended with %#x", n, (unsigned int)status);
		return ATTEMPT_BROKEN;
	}
	if (outcome->broken != was) {
		say("failure %u", n);
		return ATTEMPT_BROKEN;
	}
	return WEXITSTATUS(status);
}

/* True if the path holds whatever fails, and something did. */
static bool walk(size_t i)
{
	unsigned int n, wrong = 0;

	outcome_name("%s", paths[i].name);
	outcome->broken = 0;
	for (n = 1; n < MOST_FAILURES && wrong < 5; n++) {
		int result = attempt(paths[i].try, n);

		if (result == ATTEMPT_NOTHING_FAILED)
			break;
		wrong += result == ATTEMPT_BROKEN;
	}
	say("%u failures", n - 1);
	return wrong == 0 && n > 1 && n < MOST_FAILURES;
}

static bool selected(size_t i, int argc, char **argv)
{
	for (int k = 1; k < argc; k++)
		if (strstr(paths[i].name, argv[k]))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	unsigned int n = 0;
	long before;

	/* Where the kernel cannot write rseq's area, it kills the process. */
	if (!getenv(TUNABLES) && setenv(TUNABLES, "glibc.pthread.rseq=0", 1) == 0)
		execv("/proc/self/exe", argv);
	outcome_init();
	for (size_t i = 0; i < PATHS; i++)
		n += selected(i, argc, argv);
	tap_plan(n + 2);
	fail_everything();
	group_make(NULL);
	group_join();
	before = group_kernel_bytes();
	for (size_t i = 0; i < PATHS; i++)
		if (selected(i, argc, argv))
			tap(walk(i), "nothing is lost if something fails while %s",
			    paths[i].name);
	tap(group_memory_is_back(before), "the kernel has its memory back");
	tap(module_goes(), "the module can be removed");
	return tap_failures() ? 1 : 0;
}
