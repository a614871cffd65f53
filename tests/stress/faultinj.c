// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation and each copy from and to user memory of every path into the
 * module fails, one at a time:
 *
 *	faultinj [TEXT...]
 *
 * in a guest with the debug kernel, as root, in TAP; only the paths whose names contain one
 * of TEXT. Each attempt is a process of its own: it prepares, has the n-th thing fail in what
 * it then does, and looks at what became of it. A path is done when nothing was left to fail.
 */
#include "group.h"
#include "request.h"
#include "work.h"

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
		{ "failslab/ignore-gfp-wait", "N" }, { "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" }, { "failslab/verbose", "0" },
		{ "fail_page_alloc/verbose", "0" }, { "fail_usercopy/verbose", "0" },
	};
	char path[128];

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", settings[i][0]);
		if (write_file(path, settings[i][1]) != 0)
			broken("%s: %s", path, strerror(errno));
	}
}

static int start_at(void *counter, unsigned int width, uint32_t rate, uint32_t flags,
		    uint32_t tag, struct profil_status *last)
{
	struct profil_region region = everything(counter, width, (uint8_t)width);
	struct profil_histogram req = HISTOGRAM(&region, rate, .flags = flags, .tag = tag,
						.last = (uintptr_t)last);

	return request(device, PROFIL_IOC_HISTOGRAM, &req);
}

static int begin_old(void)
{
	int err = start_at(&old_counter, 4, PROFIL_RATE_TICK, 0, OLD_TAG, NULL);

	MUST_BE(err, 0);
	return err;
}

/* Of the thread's own, or of the process's. */
static int own(unsigned long command, struct profil_status *st)
{
	struct profil_thread req = thread_of(0, st);

	*st = STATUS;
	return request(device, command, &req);
}

static struct profil_status now(bool of_own)
{
	struct profil_status st = STATUS;

	MUST_BE(of_own ? own(PROFIL_IOC_THREAD_STATUS, &st) :
			 request(device, PROFIL_IOC_STATUS, &st), 0);
	return st;
}

static bool is_on(bool of_own)
{
	return now(of_own).state == PROFIL_STATE_ON;
}

static bool counts_on(bool of_own)
{
	uint64_t until = now(of_own).ticks + 2;

	for (int i = 0; i < 3000 && now(of_own).ticks < until; i++)
		hot_a(20000);
	return now(of_own).ticks >= until;
}

/* A stop accounts, whatever ran; afterwards nothing does. */
static void check_stop(const uint32_t *counter)
{
	struct profil_status st = STATUS;

	MUST_BE(request(device, PROFIL_IOC_STOP, &st), 0);
	MUST_ACCOUNT(&st);
	if (counter)
		MUST_BE(*counter, st.counted);
	MUST(!is_on(false));
}

/* Whatever became of the call, the profile before goes on. */
static void check_old(int err)
{
	(void)err;
	MUST(is_on(false));
	MUST_BE(now(false).tag, OLD_TAG);
	MUST(counts_on(false));
	check_stop(&old_counter);
}

static bool had_old;

/*
 * After a failure the profile before runs as it did. Or none does: the result could
 * not be delivered, and what was started was stopped again.
 */
static void check_start(int err)
{
	if (!err) {
		MUST(is_on(false));
		MUST_BE(now(false).tag, NEW_TAG);
		MUST(counts_on(false));
	}
	if (err && had_old && is_on(false)) {
		check_old(err);
	} else {
		MUST(!err || !is_on(false));
		check_stop(NULL);
	}
	/* After that, a start works again. */
	if (begin_old() == 0) {
		old_counter = 0;
		check_stop(NULL);
	}
}

static struct profil_status report;
static void *mapped, *there;
static pid_t child;

static int start_new(uint32_t n)
{
	struct profil_status last = STATUS;
	struct profil_histogram req = HISTOGRAM_OF(regions, n, PROFIL_RATE_TICK, .tag = NEW_TAG,
						   .last = (uintptr_t)&last);
	int err = request(device, PROFIL_IOC_HISTOGRAM, &req);

	if (!err)
		MUST_ACCOUNT(&last);
	return err;
}

static int start_new_array(void)
{
	struct profil_samples req = SAMPLES(array, PAGE / 8, 8, PROFIL_RATE_FAST, .tag = NEW_TAG);

	return request(device, PROFIL_IOC_SAMPLES, &req);
}

/* Profiled or, without memory, not: it can always stop and start. */
__attribute__((noreturn)) static void be_a_child(void)
{
	while (pwrite(nth, "0", 1, 0) != 1)
		;
	MUST(!is_on(false) || counts_on(false));
	check_stop(NULL);
	begin_old();
	check_stop(NULL);
	_exit(0);
}

/* What failed may be what the child needs to begin. */
static void wait_for_child(void)
{
	int status;

	if (child <= 0)
		return;
	waitpid(child, &status, 0);
	MUST(status == 0 || WIFSIGNALED(status));
}

enum act {
	NOTHING, FEATURES, STATUS_OF, OPEN, MAP, UNMAP, MOVE, START, START_MANY, START_ARRAY,
	START_OWN, STOP, STATUS_OF_OWN, STOP_OWN, FORK,
};

static int act(enum act what)
{
	struct profil_features features = { .size = sizeof(features) };
	int fd;

	report = STATUS;
	switch (what) {
	case NOTHING:
		return 0;
	case FEATURES:
		return request(device, PROFIL_IOC_FEATURES, &features);
	case STATUS_OF:
		return request(device, PROFIL_IOC_STATUS, &report);
	case OPEN:
		fd = open_device();
		if (fd >= 0)
			close(fd);
		return 0;
	case MAP:
		mapped = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, device, 0);
		return mapped == MAP_FAILED ? -errno : 0;
	case UNMAP:
		return munmap(mapped, PAGE) ? -errno : 0;
	case MOVE:
		mremap(mapped, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, there);
		return 0;
	case START:
		return start_new(1);
	case START_MANY:
		return start_new(MANY_REGIONS);
	case START_ARRAY:
		return start_new_array();
	case START_OWN:
		new_counter = 0;
		return start_at(&new_counter, 4, PROFIL_RATE_TICK, PROFIL_THREAD, NEW_TAG, &report);
	case STOP:
		return request(device, PROFIL_IOC_STOP, &report);
	case STATUS_OF_OWN:
		return own(PROFIL_IOC_THREAD_STATUS, &report);
	case STOP_OWN:
		return own(PROFIL_IOC_THREAD_STOP, &report);
	case FORK:
		child = fork();
		if (child == 0)
			be_a_child();
		return child < 0 ? -errno : 0;
	}
	return 0;
}

static void begin(enum act what)
{
	if (what != START_MANY && what != START_ARRAY)
		begin_old();
	MUST_BE(act(what), 0);
	hot_a(20000);
}

/* Its updates wait for pages when it is replaced. */
static void begin_what_waits(enum act what)
{
	(void)what;
	MUST_BE(start_at(array, 8, PROFIL_RATE_FAST, 0, OLD_TAG, NULL), 0);
	/* Until a tick has found it absent, or will. */
	hot_a(100000);
	madvise(array, PAGE, MADV_DONTNEED);
	hot_a(100000);
}

static void begin_with_page(enum act what)
{
	MUST_BE(act(what), 0);
	there = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	begin_old();
}

static void check_any_stop(int err)
{
	(void)err;
	check_stop(NULL);
}

static void check_new_counts(int err)
{
	(void)err;
	MUST(counts_on(false) || now(false).state == PROFIL_STATE_FULL);
	check_stop(NULL);
}

/* On as before; or off, and only the report is lost. */
static void check_stopped(int err)
{
	if (!err) {
		MUST_ACCOUNT(&report);
		MUST_BE(report.counted, old_counter);
	}
	if (err && is_on(false))
		check_old(err);
	else
		MUST(!is_on(false));
}

/* A page that was not mapped has left no profile behind. */
static void check_mapped(int err)
{
	if (begin_old() == 0)
		check_old(err);
}

static void check_unmapped(int err)
{
	if (err)
		check_old(err);
	else
		MUST_BE(now(false).mode, PROFIL_MODE_NONE);
}

/* Either way the process's goes on when it has stopped. */
static void check_own(bool on)
{
	struct profil_status st;

	MUST_BE(is_on(true), on);
	MUST(!on || counts_on(true));
	MUST_BE(own(PROFIL_IOC_THREAD_STOP, &st), 0);
	MUST_ACCOUNT(&st);
	if (on)
		MUST_BE(new_counter, st.counted);
	check_old(0);
}

static void check_own_start(int err)
{
	check_own(!err);
}

static void check_own_asked(int err)
{
	(void)err;
	check_own(true);
}

static void check_own_stopped(int err)
{
	MUST(err || report.state == PROFIL_STATE_OFF);
	check_own(is_on(true));
}

#define FAULT	{ -EFAULT }
#define NOMEM	{ -ENOMEM }
#define EITHER	{ -ENOMEM, -EFAULT }
#define NOFORK	{ -ENOMEM, -EAGAIN }

/* Before, with nothing failing; what has the n-th failure, and its errors; and after. */
static const struct path {
	const char *name;
	void (*begin)(enum act before);
	enum act before, act;
	int errors[2];
	void (*after)(int err);
} paths[] = {
	{ "features are asked for", begin, NOTHING, FEATURES, FAULT, check_old },
	{ "the status is asked for", begin, NOTHING, STATUS_OF, FAULT, check_old },
	{ "the device is opened", begin, NOTHING, OPEN, NOMEM, check_old },
	{ "the status page is mapped", NULL, NOTHING, MAP, NOMEM, check_mapped },
	{ "the status page is unmapped", begin_with_page, MAP, UNMAP, NOMEM, check_unmapped },
	{ "the status page is moved", begin_with_page, MAP, MOVE, NOMEM, check_old },
	{ "a first histogram is started", NULL, NOTHING, START, EITHER, check_start },
	{ "a first sample array is started", NULL, NOTHING, START_ARRAY, EITHER, check_start },
	{ "600 regions replace a profile", begin, NOTHING, START_MANY, EITHER, check_start },
	{ "a sample array replaces a profile", begin, NOTHING, START_ARRAY, EITHER, check_start },
	{ "updates wait at a replacement", begin_what_waits, NOTHING, START, EITHER, check_any_stop },
	{ "a profile is stopped", begin, NOTHING, STOP, EITHER, check_stopped },
	{ "a thread starts its own profile", begin, NOTHING, START_OWN, EITHER, check_own_start },
	{ "a thread asks for its own", begin, START_OWN, STATUS_OF_OWN, EITHER, check_own_asked },
	{ "a thread stops its own profile", begin, START_OWN, STOP_OWN, EITHER, check_own_stopped },
	{ "a process with a histogram forks", begin, NOTHING, FORK, NOFORK, check_old },
	{ "a process with an array forks", begin, START_ARRAY, FORK, NOFORK, check_new_counts },
	/* The child has the thread's, or none. */
	{ "a thread with its own profile forks", begin, START_OWN, FORK, NOFORK, check_own_asked },
	{ "a process with 600 regions forks", begin, START_MANY, FORK, NOFORK, check_new_counts },
};

static bool try_path(const struct path *path, unsigned int n)
{
	bool failed;
	int err;

	had_old = path->begin;
	if (path->begin)
		path->begin(path->before);
	arm(n);
	err = act(path->act);
	failed = disarm();
	if (err && err != path->errors[0] && err != path->errors[1])
		broken("%s", strerror(-err));
	wait_for_child();
	path->after(err);
	return failed;
}

#define PATHS	(sizeof(paths) / sizeof(*paths))

static void prepare(void)
{
	regions = mmap(NULL, MANY_REGIONS * sizeof(*regions), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	array = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (regions == MAP_FAILED || array == MAP_FAILED)
		broken("mmap: %s", strerror(errno));
	for (uint32_t i = 0; i < MANY_REGIONS; i++)
		regions[i] = everything(&new_counter, 4, 4);
	device = open_device();
	nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (device < 0 || nth < 0)
		broken("open: %s", strerror(errno));
}

static int attempt(const struct path *path, unsigned int n)
{
	uint64_t was = outcome->broken;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		prepare();
		_exit(try_path(path, n) ? ATTEMPT_FAILED : ATTEMPT_NOTHING_FAILED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
		broken("failure %u: the process ended with %#x", n, (unsigned int)status);
		return ATTEMPT_BROKEN;
	}
	if (outcome->broken != was) {
		note("failure %u", n);
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
		int result = attempt(&paths[i], n);

		if (result == ATTEMPT_NOTHING_FAILED)
			break;
		wrong += result == ATTEMPT_BROKEN;
	}
	note("%u failures", n - 1);
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
	long before;

	/* Where the kernel cannot write rseq's area, it kills the process. */
	if (!getenv(TUNABLES) && setenv(TUNABLES, "glibc.pthread.rseq=0", 1) == 0)
		execv("/proc/self/exe", argv);
	outcome_init();
	fail_everything();
	group_make(NULL);
	group_join();
	before = group_kernel_bytes();
	for (size_t i = 0; i < PATHS; i++)
		if (selected(i, argc, argv))
			tap(walk(i), "any failure: %s", paths[i].name);
	tap(group_memory_is_back(before), "the kernel has its memory back");
	tap(module_goes(), "the module can be removed");
	return tap_end();
}
