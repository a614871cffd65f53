// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel brings in a buffer with the rights of its process, and charges the process.
 * A process gets no memory that it may not have, and uses no other process's time. The
 * kernel does not write to memory that a thread's protection keys close.
 */
#include <dirent.h>

#include "spread.h"
#include "bounded.h"

#define VM		"/proc/sys/vm/"
#define RESERVE_KB	65536

struct setting {
	const char *path;
	char was[32];
};

static struct setting limits[] = {
	{ .path = VM "admin_reserve_kbytes" }, { .path = VM "overcommit_kbytes" },
	{ .path = VM "overcommit_ratio" }, { .path = VM "overcommit_memory" },
};

/* Root may use half of the reserve, and others none of it. */
static void leave_only_the_reserve(void)
{
	char text[32];

	for (size_t i = 0; i < 4; i++)
		CHECK_CALL(read_file(limits[i].path, limits[i].was, sizeof(limits[i].was)));
	snprintf(text, sizeof(text), "%d", RESERVE_KB);
	CHECK_CALL(write_file(VM "admin_reserve_kbytes", text));
	snprintf(text, sizeof(text), "%lu",
		 kb_of("/proc/meminfo", "Committed_AS:") + RESERVE_KB / 2);
	CHECK_CALL(write_file(VM "overcommit_kbytes", text));
	CHECK_CALL(write_file(VM "overcommit_memory", "2"));
}

static void restore_limits(void)
{
	CHECK_CALL(write_file(VM "overcommit_memory", limits[3].was));
	/* One of these two is 0, and clears the other. */
	write_file(VM "overcommit_ratio", limits[2].was);
	CHECK_CALL(write_file(VM "admin_reserve_kbytes", limits[0].was));
}

static blkcnt_t blocks(int fd)
{
	struct stat st;

	CHECK_CALL(fstat(fd, &st));
	return st.st_blocks;
}

/* The file's memory is accounted for page by page, as it is written. */
static void count_in_what_is_root_s(int fd)
{
	struct profil_status st;
	uint32_t *buf = mapped(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	int status;
	pid_t pid;

	pid = FORK();
	if (pid == 0) {
		CHECK_CALL(become_nobody());
		*(volatile uint32_t *)buf = 1;
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	CHECK_CALL(become_nobody());
	CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_TICK), 0);
	work_while_on();
	st = accounted();
	CHECK_EQ(st.state, PROFIL_STATE_FAULT);
	CHECK_EQ(st.counted, 0);
	CHECK_EQ(blocks(fd), 0);
	_exit(0);
}

TEST(buffer_page_is_not_taken_from_root_s_reserve)
{
	char path[] = "/dev/shm/selftest.XXXXXX";
	int fd, status;
	pid_t pid;

	NEEDS_ROOT();
	fd = CHECK_CALL(mkstemp(path));
	CHECK_CALL(unlink(path));
	CHECK_CALL(fchmod(fd, 0666));
	CHECK_CALL(ftruncate(fd, (off_t)PAGE));
	pid = FORK();
	if (pid == 0) {
		/* Until the limit is set: what it needs itself it has before. */
		raise(SIGSTOP);
		count_in_what_is_root_s(fd);
	}
	CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
	leave_only_the_reserve();
	CHECK_CALL(kill(pid, SIGCONT));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	restore_limits();
	CHECK(WIFEXITED(status));
	if (WEXITSTATUS(status) != 0)
		_exit(WEXITSTATUS(status));
}

#if defined(__x86_64__)
/* A counter under a new key. */
static uint32_t *keyed(int *key)
{
	uint32_t *buf = private_memory(PAGE);

	*key = pkey_alloc(0, 0);
	if (*key < 0)
		SKIP("no protection keys");
	buf[0] = 0;
	CHECK_CALL(pkey_mprotect(buf, PAGE, PROT_READ | PROT_WRITE, *key));
	return buf;
}

TEST(buffer_under_an_open_protection_key_counts)
{
	struct profil_status st;
	uint32_t *buf;
	int key;

	buf = keyed(&key);
	CHECK_CALL(madvise(buf, PAGE, MADV_DONTNEED));
	CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_TICK), 0);
	for (int i = 0; i < 5; i++) {
		CHECK(work_for_ticks(5));
		CHECK_EQ(page()->state, PROFIL_STATE_ON);
	}
	st = stopped();
	CHECK_GE(st.deferred, 1);
	CHECK_EQ(buf[0], st.counted);
}

TEST(buffer_under_a_closed_protection_key_is_not_written)
{
	uint32_t *buf;
	int key;

	buf = keyed(&key);
	CHECK_CALL(pkey_set(key, PKEY_DISABLE_WRITE));
	CHECK_EQ(start_region(everything(buf, 4, 4), PROFIL_RATE_TICK), 0);
	work_while_on();
	CHECK_EQ(accounted().counted, 0);
	CHECK_CALL(pkey_set(key, 0));
	CHECK_EQ(buf[0], 0);
}
#endif

/* CPU time of all threads of the kernel's, in 1/100 s. */
static uint64_t kernel_threads_time(void)
{
	DIR *proc = opendir("/proc");
	uint64_t total = 0;
	struct dirent *entry;

	CHECK(proc != NULL);
	while ((entry = readdir(proc))) {
		unsigned long user, sys, flags;
		char path[300], text[1024], *end;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		if (read_file(path, text, sizeof(text)) != 0)
			continue;
		end = strrchr(text, ')');
		if (end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %lu %*u %*u %*u %*u %lu %lu",
				  &flags, &user, &sys) == 3 &&
		    (flags & 0x00200000))	/* PF_KTHREAD */
			total += user + sys;
	}
	closedir(proc);
	return total;
}

TEST(time_to_bring_in_a_process_s_pages_is_the_process_s_own)
{
	size_t size = 32 * HUGE;
	char *mem = memory(size + HUGE);
	struct profil_region region;
	struct profil_status st;
	uint64_t others, own, ticks;

	mem = (char *)(((uintptr_t)mem + HUGE - 1) & ~(HUGE - 1));
	if (madvise(mem, size, MADV_HUGEPAGE) != 0)
		SKIP("no transparent huge pages");
	region = spread(mem, size, size / WIDE_BLOCKS);
	others = kernel_threads_time();
	own = process_ns();
	CHECK_EQ(start_region(region, PROFIL_RATE_FAST), 0);
	/* 2 MB for a tick or two, all the time; for longer where it takes less of it. */
	for (ticks = 0; ticks < 600 || (page()->deferred < 30 && ticks < 20000);
	     ticks = page()->ticks) {
		hot_wide(4);
		CHECK_CALL(madvise(mem, size, MADV_DONTNEED));
	}
	own = (process_ns() - own) / 10000000;
	others = kernel_threads_time() - others;
	st = stopped();
	CHECK_GE(st.deferred, 30);
	/* On a busy machine, all threads are charged for time that they did not have. */
	if (icount())
		CHECK_LE(others * 10, own);
}
