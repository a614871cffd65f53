// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * No call of an unprivileged process patches kernel text. None takes a lock that can
 * delay another process's start or root's tracing. Three attacks once did this.
 */
#include <elf.h>
#include <inttypes.h>

#include "hook.h"

struct kernel_text {
	uint64_t start, size;
	char *bytes;
};

static uint64_t symbol(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], found[256], type;
	uint64_t address, at = 0;

	CHECK(file);
	while (!at && fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 " %c %255s", &address, &type, found) == 3 &&
		    strcmp(found, name) == 0)
			at = address;
	fclose(file);
	return at;
}

/* Where the kernel's memory from @address on is in /proc/kcore. */
static off_t offset_in(int core, uint64_t address)
{
	Elf64_Ehdr elf;
	Elf64_Phdr part;

	CHECK_EQ(pread(core, &elf, sizeof(elf), 0), sizeof(elf));
	for (int i = 0; i < elf.e_phnum; i++) {
		CHECK_EQ(pread(core, &part, sizeof(part),
			       (off_t)(elf.e_phoff + (unsigned int)i * sizeof(part))),
			 sizeof(part));
		if (part.p_type == PT_LOAD && address >= part.p_vaddr &&
		    address < part.p_vaddr + part.p_memsz)
			return (off_t)(part.p_offset + (address - part.p_vaddr));
	}
	SKIP("no kernel text in /proc/kcore");
}

static struct kernel_text read_text(void)
{
	static struct kernel_text text;
	int core = open("/proc/kcore", O_RDONLY);
	uint64_t done = 0;
	off_t offset;

	if (core < 0)
		SKIP("no kernel text in /proc/kcore");
	/* The names take the kernel longer than the text. */
	if (!text.start) {
		text.start = symbol("_stext");
		text.size = symbol("_etext") - text.start;
	}
	if (!text.start)
		SKIP("no kernel text in /proc/kcore");
	text.bytes = malloc((size_t)text.size);
	CHECK(text.bytes);
	offset = offset_in(core, text.start);
	while (done < text.size)
		done += (uint64_t)CHECK_CALL(pread(core, text.bytes + done,
						   (size_t)(text.size - done),
						   offset + (off_t)done));
	close(core);
	return text;
}

static uint64_t bytes_changed_since(const struct kernel_text *before)
{
	struct kernel_text now = read_text();
	uint64_t n = 0;

	for (uint64_t i = 0; i < now.size; i++)
		n += now.bytes[i] != before->bytes[i];
	free(now.bytes);
	return n;
}

/* What starts and stops change at once, and what they leave to others for later. */
static uint64_t bytes_changed(void)
{
	struct kernel_text before = read_text();
	uint64_t most = 0, n;

	for (unsigned int rate = 0; rate < 3; rate++) {
		start_tally(rate);
		CHECK(work_for_ticks(2));
		n = bytes_changed_since(&before);
		most = n > most ? n : most;
	}
	accounted();
	sleep_ms(2500);
	n = bytes_changed_since(&before);
	free(before.bytes);
	return n > most ? n : most;
}

TEST(start_and_stop_patch_nothing)
{
	uint64_t n = 1;

	NEEDS_ROOT();
	/* Others may patch something meanwhile; they do not each time. */
	for (int i = 0; i < 3 && n; i++) {
		n = bytes_changed();
		note("%llu bytes of kernel text changed", (unsigned long long)n);
	}
	CHECK_EQ(n, 0);
}

#define SECONDS	12
#define MOST	64

static pid_t nobody_on_cpu_1(void)
{
	pid_t pid = FORK();

	if (pid == 0) {
		CHECK_CALL(become_nobody());
		CHECK_CALL(pin(1));
	}
	return pid;
}

static pid_t hog(void)
{
	pid_t pid = nobody_on_cpu_1();

	while (!pid)
		hot_a(100000);
	return pid;
}

static void idle_priority(void)
{
	struct sched_param none = { .sched_priority = 0 };

	CHECK_CALL(sched_setscheduler(0, SCHED_IDLE, &none));
}

/* Always in the kernel: whoever takes a hook away waits until it has left that. */
static pid_t reader(void)
{
	size_t size = 64UL << 20;
	pid_t pid = nobody_on_cpu_1();
	char *mem;
	int zero;

	if (pid)
		return pid;
	zero = CHECK_CALL(open("/dev/zero", O_RDONLY));
	mem = private_memory(size);
	idle_priority();
	for (;;)
		CHECK_CALL(read(zero, mem, size));
}

/* Each is kept off its CPU somewhere in the middle. */
static pid_t starter(void)
{
	static int number;
	pid_t pid = nobody_on_cpu_1();
	int fd;

	number++;
	if (pid)
		return pid;
	fd = CHECK_CALL(open(DEVICE, O_RDWR));
	idle_priority();
	for (;;) {
		if (number % 6 == 0) {
			start_tally(PROFIL_RATE_FAST);
			accounted();
			unmap_page();
		} else if (number % 2) {
			CHECK_CALL(munmap(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0), PAGE));
		} else {
			close(fd);
			fd = CHECK_CALL(open(DEVICE, O_RDWR));
		}
	}
}

static void start_and_stop(void)
{
	start_tally(PROFIL_RATE_TICK);
	accounted();
	unmap_page();
}

static void trace(void)
{
	hooked();
}

/* Calls @call in a process of its own, which is not waited for without end. */
static void take_time(void (*call)(void), uint64_t *longest)
{
	uint64_t begin = now_ns();
	pid_t pid = spawn(call);
	int status = 0;

	for (uint64_t ms = 0; CHECK_CALL(waitpid(pid, &status, WNOHANG)) == 0 && ms < 60000;) {
		sleep_ms(5);
		ms = (now_ns() - begin) / 1000000;
		*longest = ms > *longest ? ms : *longest;
	}
	CHECK_EQ(status, 0);
}

/* The longest that root's tracing and another one's start take beside @n attackers. */
static void beside(pid_t (*attacker)(void), int n, int hogs)
{
	uint64_t end, tracing = 0, starting = 0, most = 2500 * (uint64_t)slowness();
	pid_t pids[MOST];

	NEEDS_CPUS(2);
	need_tracing();
	CHECK_CALL(pin(0));
	for (int i = 0; i < n; i++)
		pids[i] = attacker();
	sleep_ms(300);
	for (int i = n; i < n + hogs; i++)
		pids[i] = hog();
	end = now_ns() + SECONDS * 1000000000ULL;
	while (now_ns() < end && tracing < most && starting < most) {
		take_time(start_and_stop, &starting);
		/* What once was removed after a second is being removed. */
		sleep_ms(1300);
		take_time(trace, &tracing);
	}
	/* The hogs first: an attacker has to run to end. */
	for (int i = n + hogs; i > 0; i--)
		end_by_force(pids[i - 1]);
	note("tracing took %llu ms at most, a start %llu ms", (unsigned long long)tracing,
	     (unsigned long long)starting);
	CHECK_LT(tracing, most);
	CHECK_LT(starting, most);
}

CASE(reader_that_hardly_runs_keeps_nobody_waiting, beside(reader, 1, 40))
/* The fewer hogs, the more often a starter is stopped in the middle, for less long. */
CASE(starters_that_hardly_run_keep_nobody_waiting, beside(starter, 60, 5))
