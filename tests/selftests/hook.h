/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is the kernel's tick hooked? As root, by the kernel's own lists, or by what the
 * module says where nothing else would.
 */
#ifndef SELFTESTS_HOOK_H
#define SELFTESTS_HOOK_H

#include <sys/mount.h>

#include "harness.h"
#include "device.h"
#include "work.h"

#define TRACING	"/sys/kernel/tracing"
#define HOOKED	TRACING "/enabled_functions"
#define KPROBES	"/sys/kernel/debug/kprobes/list"
/* Of a module that is one of the kernel's own, which has a place in the tick. */
#define OWN	"/sys/module/profil/parameters/tick_hooked"

static inline bool contains(const char *path, const char *what)
{
	static char text[1 << 20];

	return read_file(path, text, sizeof(text)) == 0 && strstr(text, what);
}

static inline bool hooked(void)
{
	return contains(OWN, "Y") || contains(HOOKED, "update_process_times") ||
	       contains(KPROBES, "update_process_times");
}

/* Nobody can switch such a hook off. */
static inline bool hook_is_the_kernels_own(void)
{
	return access(OWN, R_OK) == 0;
}

/* Lines of the module in the kernel's log that contain @what. */
static inline unsigned int log_lines(const char *what)
{
	FILE *log = popen("dmesg", "r");
	unsigned int n = 0;
	char line[1024];

	CHECK(log);
	while (fgets(line, sizeof(line), log))
		n += strstr(line, "profil: ") && strstr(line, what);
	CHECK_EQ(pclose(log), 0);
	return n;
}

/* Kprobes refuse the tick on machines where it is ftrace's alone; a start tells. */
static inline bool hook_is_refused(void)
{
	static uint32_t count;
	pid_t pid;

	if (!contains("/sys/module/profil/parameters/tick_hook", "kprobe"))
		return false;
	pid = FORK();
	if (pid == 0) {
		CHECK_EQ(start_region(everything(&count, 4, 4), PROFIL_RATE_TICK), 0);
		_exit(0);
	}
	wait_ok(pid);
	return log_lines("nothing to hook the tick by");
}

static inline void need_tracing(void)
{
	NEEDS_ROOT();
	if (hook_is_the_kernels_own())
		return;
	if (access(HOOKED, R_OK) != 0)
		mount("none", TRACING, "tracefs", 0, NULL);
	if (access(KPROBES, R_OK) != 0)
		mount("none", "/sys/kernel/debug", "debugfs", 0, NULL);
	if (access(HOOKED, R_OK) != 0 && access(KPROBES, R_OK) != 0)
		SKIP("no list of hooks");
	if (hook_is_refused())
		SKIP("the kernel refuses the hook");
}

/*
 * Sleeps until the hook is gone; false if that does not happen. It takes a second,
 * and ten where it has come and gone often lately.
 */
static inline bool unhooked_in_time(void)
{
	struct timespec pause = { .tv_nsec = 100000000 };

	for (int i = 0; i < 300; i++) {
		if (!hooked())
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/*
 * Sleeps until the hook is there: who starts while it is being removed is served
 * by timers until it is gone, which may take longer than it takes to be seen.
 */
static inline bool hooked_in_time(void)
{
	struct timespec pause = { .tv_nsec = 100000000 };

	for (int i = 0; i < 300; i++) {
		if (hooked())
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* What the module has said of a hook that is not called. */
static inline unsigned int lines_about_the_hook(void)
{
	return log_lines("hook is switched off");
}

#endif /* SELFTESTS_HOOK_H */
