/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds out how the tick is hooked, and reloads the module with or without that hook.
 * Needs root, and no process may use the module.
 */
#ifndef SELFTESTS_HOOK_H
#define SELFTESTS_HOOK_H

#include <dirent.h>
#include <sys/mount.h>
#include <sys/utsname.h>

#include "setup.h"

#define TRACING		"/sys/kernel/tracing"
#define HOOKED		TRACING "/enabled_functions"

static inline void need_tracing(void)
{
	NEEDS_ROOT();
	if (access(HOOKED, R_OK) != 0)
		mount("none", TRACING, "tracefs", 0, NULL);
	if (access(HOOKED, R_OK) != 0)
		SKIP("no ftrace");
}

static inline bool hooked(void)
{
	static char text[1 << 20];

	return read_file(HOOKED, text, sizeof(text)) == 0 && strstr(text, "update_process_times");
}

/* What the function tracer has written. */
static inline char *read_trace(void)
{
	size_t size = 1 << 20;
	char *text = shared_memory(size);

	CHECK_CALL(read_file(TRACING "/trace", text, size));
	return text;
}

static inline void end_trace(void)
{
	CHECK_EQ(write_file(TRACING "/current_tracer", "nop"), 0);
	close(CHECK_CALL(open(TRACING "/set_ftrace_filter", O_WRONLY | O_TRUNC)));
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

/* Of the clock's time. */
static inline void work_ms(unsigned int ms)
{
	uint64_t end = now_ns() + ms * 1000000ULL;

	while (now_ns() < end)
		hot_a(10000);
}

/*
 * As root, so that nothing else takes the CPU of this thread: no switch helps to find
 * it. But where a thread of this priority is what runs the CPU's kernel timers, all of
 * the kernel would wait for those.
 */
static inline void have_the_cpu(bool alone)
{
	struct sched_param priority = { .sched_priority = alone };

	if (geteuid() == 0 && !kernel_is_realtime())
		CHECK_CALL(sched_setscheduler(0, alone ? SCHED_FIFO : SCHED_OTHER, &priority));
}

struct module {
	int file;
	mode_t mode;		/* of the device */
	char parameters[1024];	/* it was loaded with */
};

static inline void read_parameters(char *text, size_t size)
{
	DIR *dir = opendir(PARAMETERS);
	struct dirent *entry;
	char path[512], value[128];

	text[0] = '\0';
	CHECK(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), PARAMETERS "%s", entry->d_name);
		CHECK_CALL(read_file(path, value, sizeof(value)));
		value[strcspn(value, "\n")] = '\0';
		snprintf(text + strlen(text), size - strlen(text), "%s=%s ", entry->d_name, value);
	}
	closedir(dir);
}

/* As it is loaded now. */
static inline struct module this_module(void)
{
	struct module module;
	struct utsname name;
	struct stat st;
	char path[512];

	NEEDS_ROOT();
	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s/extra/profil.ko", name.release);
	if (access(path, R_OK) != 0)
		SKIP("no module file");
	module.file = CHECK_CALL(open(path, O_RDONLY));
	CHECK_CALL(stat(DEVICE, &st));
	module.mode = st.st_mode & 07777;
	read_parameters(module.parameters, sizeof(module.parameters));
	return module;
}

/* @more: parameters in addition. */
static inline void load(const struct module *module, const char *more)
{
	char parameters[1100];

	snprintf(parameters, sizeof(parameters), "%s%s", module->parameters, more);
	CHECK_CALL(syscall(SYS_finit_module, module->file, parameters, 0));
	CHECK_CALL(chmod(DEVICE, module->mode));
}

/* EAGAIN: an address space that mapped the page is still being taken down. */
static inline void unload(void)
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

static inline void load_anew(const char *ftrace)
{
	struct module module;

	if (!kernel_has_ftrace())
		return;
	if (has_page())
		unmap_page();
	module = this_module();
	unload();
	CHECK_CALL(set_ftrace(ftrace));
	load(&module, "");
	CHECK_CALL(set_ftrace("1"));
	close(module.file);
}

/*
 * Loads the module where it finds ftrace switched off, so that timers serve; and with
 * the hook again. A kernel without ftrace needs no other module for that.
 */
static inline void have_timers_serve(void)
{
	load_anew("0");
}

static inline void have_the_hook_serve(void)
{
	load_anew("1");
}

#endif /* SELFTESTS_HOOK_H */
