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

#endif /* SELFTESTS_HOOK_H */
