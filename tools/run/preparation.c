// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/preparation.h"
#include "common/memory.h"
#include "common/message.h"
#include "run/own_files.h"
#include "run/profile_directory.h"
#include "run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/profil.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *device_problem(int error)
{
	if (error == ENOENT || error == ENOTDIR)
		return "not there: the kernel module is not loaded (try: modprobe profil), or the device is missing in this container or root directory";
	if (error == ENXIO)
		return "the kernel module is not loaded (try: modprobe profil)";
	if (error == EACCES)
		return "Permission denied (see FILES in profil(4))";
	return strerror(error);
}

static const char *directory_problem(int error)
{
	if (error == EREMOTE)
		return "on a network or FUSE file system: use -o with a local directory";
	if (error == ENOTEMPTY)
		return "has other files and no profile: use -o with a new directory";
	if (error == EBUSY)
		return "has maps of running programs: use -o with a directory in it";
	return strerror(error);
}

/* What messages call it. */
static const char *directory_name(const struct options *options)
{
	return *options->directory ? options->directory : "-o";
}

static const char *preload_problem(const char *library)
{
	if (strpbrk(library, " :"))
		return "cannot preload a path with a blank or a colon (install profil elsewhere)";
	return access(library, R_OK) < 0 ? strerror(errno) : NULL;
}

/* profil's library comes first; the others stay. */
static void set_preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");

	setenv("LD_PRELOAD", others && *others ?
	       format_text("%s:%s", library, others) : library, 1);
}

static const char *absolute(const char *path)
{
	char *directory;

	if (path[0] == '/')
		return path;
	directory = getcwd(NULL, 0);
	if (!directory)
		die("cannot get the current directory: %s", strerror(errno));
	return format_text("%s/%s", directory, path);
}

/*
 * By default a program with gcc's address sanitizer does not start if another
 * library comes before the sanitizer's. profil's library does no harm there: it
 * replaces no function that the sanitizer needs.
 */
static void allow_sanitizer(void)
{
	const char *options = getenv("ASAN_OPTIONS");

	setenv("ASAN_OPTIONS", options && *options ?
	       format_text("%s:verify_asan_link_order=0", options) :
	       "verify_asan_link_order=0", 1);
}

static void set_environment(const struct options *options, const char *library)
{
	setenv("PROFIL_DIRECTORY", absolute(options->directory), 1);
	setenv("PROFIL_PROCESS", format_text("%d", (int)getpid()), 1);
	/* Each variable takes each start of a program 1,000 instructions. */
	unsetenv("PROFIL_RATE");
	if (strcmp(options->rate, "fast"))
		setenv("PROFIL_RATE", options->rate, 1);
	unsetenv("PROFIL_CHILDREN");
	unsetenv("PROFIL_QUIET");
	if (options->samples)
		setenv("PROFIL_SAMPLES", options->samples, 1);
	if (options->no_stacks)
		setenv("PROFIL_STACKS", "0", 1);
	if (options->waits)
		setenv("PROFIL_WAITS", "1", 1);
	else
		unsetenv("PROFIL_WAITS");
	set_preload(library);
	allow_sanitizer();
}

/* For a part of its time, profil attaches to a program of any kind. */
static bool is_timed(const struct options *options)
{
	return options->seconds > 0 || options->delay > 0 || options->signal;
}

static void explain_kind(enum program_kind kind, const char *command)
{
	if (kind == PROGRAM_WIDTH)
		warn("%s has a different word size: it runs without a profile", command);
	else if (kind == PROGRAM_STATIC && !ATTACH_WORKS)
		warn("%s is statically linked: it runs without a profile", command);
	else if (kind == PROGRAM_FOREIGN && !ATTACH_WORKS)
		warn("%s uses another C library: it runs without a profile", command);
}

/*
 * Set-user-ID programs run as if they were not profiled: to be traced would change what
 * they may do. outcome_print() says so.
 */
static enum preparation choose(const struct options *options, const char *command,
			       enum program_kind kind)
{
	bool attached = kind == PROGRAM_STATIC || kind == PROGRAM_FOREIGN ||
			is_timed(options);

	explain_kind(kind, command);
	if (kind == PROGRAM_NONE || (kind == PROGRAM_WIDTH && is_timed(options)))
		return PREPARATION_FAILED;
	if (ATTACH_WORKS && attached && !program_privileges(command))
		return PREPARATION_ATTACHED;
	if (is_timed(options))
		warn("%s runs without a profile: -d, --delay and --signal are for programs that profil can attach to",
		     command);
	return kind == PROGRAM_FOREIGN || is_timed(options) ? PREPARATION_FAILED :
							      PREPARATION_PRELOADED;
}

enum preparation preparation_make(const struct options *options, const char *command)
{
	const char *library = own_files_library();
	struct profile_directory directory;	/* closed by exit */
	enum preparation chosen;
	enum program_kind kind;
	int error;

	if (access(PROFIL_DEVICE, R_OK | W_OK) < 0) {
		warn(PROFIL_DEVICE ": %s: %s runs without a profile",
		     device_problem(errno), command);
		return PREPARATION_FAILED;
	}
	if (preload_problem(library)) {
		warn("%s: %s: %s runs without a profile", library,
		     preload_problem(library), command);
		return PREPARATION_FAILED;
	}
	kind = program_kind(command, true);
	chosen = choose(options, command, kind);
	if (!chosen)
		return PREPARATION_FAILED;
	error = profile_directory_make(&directory, options->directory);
	if (error) {
		warn("%s: %s: %s runs without a profile", directory_name(options),
		     directory_problem(error), command);
		return PREPARATION_FAILED;
	}
	if (directory.shared)
		warn("%s: another profil uses this directory: its profiles are kept",
		     options->directory);
	if (kind != PROGRAM_FOREIGN && !is_timed(options))
		set_environment(options, library);
	return chosen;
}

static uint32_t rate(const char *name)
{
	if (!strcmp(name, "clock"))
		return PROFIL_RATE_CLOCK;
	return !strcmp(name, "tick") ? PROFIL_RATE_TICK : PROFIL_RATE_FAST;
}

struct attach preparation_open(const struct options *options)
{
	struct attach attach = {
		.pid = options->pid,
		.run = getpid(),
		.directory = options->directory,
		.rate = rate(options->rate),
		.samples = options->samples ? strtoull(options->samples, NULL, 10) : 0,
		.stacks = !options->no_stacks,
		.waits = options->waits,
		.seconds = options->seconds,
		.quiet = options->quiet,
	};

	attach.device = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (attach.device < 0)
		die(PROFIL_DEVICE ": %s", device_problem(errno));
	return attach;
}

/* With --rotate, each of the directories in it is made later. */
static int make_directory(struct profile_directory *directory, const struct options *options)
{
	if (!options->rotates)
		return profile_directory_make(directory, options->directory);
	*directory = (struct profile_directory){ .fd = -1 };
	return mkdir(options->directory, 0755) < 0 && errno != EEXIST ? errno : 0;
}

struct attach preparation_attach(const struct options *options)
{
	struct attach attach = preparation_open(options);
	struct profile_directory directory;	/* closed by exit */
	int error;

	error = make_directory(&directory, options);
	if (error)
		die("%s: %s", directory_name(options), directory_problem(error));
	if (directory.shared)
		warn("%s: another profil uses this directory: its profiles are kept",
		     options->directory);
	return attach;
}
