// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The module goes right after profiles have run, while what disarms its hooks and
 * looks after them is still due, and while they are switched off and on.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "harness.h"
#include "machine.h"
#include "device.h"
#include "hook.h"
#include "work.h"

#define PARAMETERS	"/sys/module/profil/parameters"

static uint32_t buf;

/* What it was loaded with, to load it in the same way. */
static void read_parameters(char *text, size_t size)
{
	DIR *dir = opendir(PARAMETERS);
	struct dirent *entry;
	char path[512], value[128];

	text[0] = '\0';
	CHECK(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		/* A state. */
		if (strcmp(entry->d_name, "tick_hooked") == 0)
			continue;
		snprintf(path, sizeof(path), PARAMETERS "/%s", entry->d_name);
		CHECK_CALL(read_file(path, value, sizeof(value)));
		value[strcspn(value, "\n")] = '\0';
		snprintf(text + strlen(text), size - strlen(text), "%s=%s ",
			 entry->d_name, value);
	}
	closedir(dir);
}

static int open_module(void)
{
	struct utsname name;
	char path[512];

	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s/extra/profil.ko", name.release);
	if (access(path, R_OK) != 0)
		SKIP("no module file");
	return CHECK_CALL(open(path, O_RDONLY));
}

static void load(int file, const char *parameters, mode_t mode)
{
	CHECK_CALL(syscall(SYS_finit_module, file, parameters, 0));
	CHECK_CALL(chmod(DEVICE, mode));
}

/* EAGAIN: an address space that mapped the page is still being taken down. */
static void unload(void)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < 10000; i++) {
		if (syscall(SYS_delete_module, "profil", O_NONBLOCK) == 0)
			return;
		CHECK_EQ(errno, EAGAIN);
		nanosleep(&pause, NULL);
	}
	FAIL("the module is still busy");
}

static void profile_in_child(unsigned int rate)
{
	pid_t pid = FORK();

	if (pid == 0) {
		CHECK_EQ(start_region(everything(&buf, 4, 4), rate), 0);
		CHECK(work_for_ticks(3));
		_exit(0);
	}
	wait_ok(pid);
}

static mode_t device_mode(void)
{
	struct stat st;

	CHECK_CALL(stat(DEVICE, &st));
	return st.st_mode & 07777;
}

TEST(module_goes_while_its_hooks_are_due_to_be_removed)
{
	mode_t mode = device_mode();
	char parameters[1024];
	int file;

	need_tracing();
	file = open_module();
	read_parameters(parameters, sizeof(parameters));
	for (unsigned int i = 0; i < 6; i++) {
		profile_in_child(i & 1 ? PROFIL_RATE_FAST : PROFIL_RATE_TICK);
		unload();
		CHECK(!hooked());
		load(file, parameters, mode);
	}
	profile_in_child(PROFIL_RATE_FAST);
}

/* A hook that the kernel is built without; NULL: it has both kinds. */
static const char *missing_hook(void)
{
	if (access(HOOKED, R_OK) != 0)
		return "tick_hook=ftrace";
	return access(KPROBES, R_OK) != 0 ? "tick_hook=kprobe" : NULL;
}

TEST(timers_do_what_a_hook_does_that_the_kernel_is_without)
{
	mode_t mode = device_mode();
	char parameters[1024];
	const char *hook;
	int file;

	need_tracing();
	hook = missing_hook();
	if (!hook || hook_is_the_kernels_own())
		SKIP("no hook is missing");
	file = open_module();
	read_parameters(parameters, sizeof(parameters));
	unload();
	load(file, hook, mode);
	for (unsigned int rate = 0; rate < 3; rate++)
		profile_in_child(rate);
	CHECK(!hooked());
	unload();
	load(file, parameters, mode);
	profile_in_child(PROFIL_RATE_TICK);
}

static pid_t toggle_tick_hook(void)
{
	struct timespec pause = { .tv_nsec = 30000000 };
	pid_t pid = FORK();

	if (pid)
		return pid;
	for (;;) {
		CHECK_CALL(set_tick_hook("0"));
		nanosleep(&pause, NULL);
		CHECK_CALL(set_tick_hook("1"));
		nanosleep(&pause, NULL);
	}
}

TEST(module_comes_and_goes_while_its_hook_is_switched_off_and_on)
{
	mode_t mode = device_mode();
	struct profil_status st;
	char parameters[1024];
	pid_t toggler;
	int file;

	need_tracing();
	file = open_module();
	read_parameters(parameters, sizeof(parameters));
	toggler = toggle_tick_hook();
	for (unsigned int i = 0; i < 8; i++) {
		/* Ticks may not be seen meanwhile. */
		CHECK_EQ(start_region(everything(&buf, 4, 4), i % 3), 0);
		hot_a(1000000);
		st = (struct profil_status){ .size = sizeof(st) };
		CHECK_EQ(device_ioctl(PROFIL_IOC_STOP, &st), 0);
		CHECK_CALL(munmap((void *)(uintptr_t)page(), 4096));
		unload();
		load(file, parameters, mode);
	}
	kill(toggler, SIGKILL);
	CHECK_CALL(waitpid(toggler, NULL, 0));
	CHECK_CALL(set_tick_hook("1"));
	profile_in_child(PROFIL_RATE_TICK);
	profile_in_child(PROFIL_RATE_FAST);
}

TEST(profiles_start_and_stop_while_the_hook_is_switched_off_and_on)
{
	struct profil_status st;
	pid_t toggler;

	need_tracing();
	toggler = toggle_tick_hook();
	for (unsigned int i = 0; i < 200 / slowness(); i++) {
		buf = 0;
		CHECK_EQ(start_region(everything(&buf, 4, 4), i % 3), 0);
		hot_a(1000000);
		CHECK_EQ(stop(&st), 0);
		CHECK_NOTHING_LOST(&st);
		CHECK_EQ(buf, st.counted);
	}
	kill(toggler, SIGKILL);
	CHECK_CALL(waitpid(toggler, NULL, 0));
	CHECK_CALL(set_tick_hook("1"));
	profile_in_child(PROFIL_RATE_TICK);
	profile_in_child(PROFIL_RATE_FAST);
}
