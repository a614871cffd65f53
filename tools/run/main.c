// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil: runs a command with libprofil-preload.so, and has profil-report
 * print where its time went. This part is small on purpose: it is what comes
 * on top of every command that is profiled.
 */
#include "common/memory.h"
#include "common/message.h"
#include "paths.h"
#include "run/command.h"
#include "run/profile_directory.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PRELOAD		"libprofil-preload.so"
#define REPORT		"profil-report"

struct options {
	const char	*directory;
	const char	*rate;
	const char	*samples;
	const char	*limit;
	bool		alone;
	bool		quiet;
};

static const struct option long_options[] = {
	{ "output",	 required_argument, NULL, 'o' },
	{ "rate",	 required_argument, NULL, 'r' },
	{ "samples",	 required_argument, NULL, 's' },
	{ "limit",	 required_argument, NULL, 'n' },
	{ "no-children", no_argument,	    NULL, 'C' },
	{ "quiet",	 no_argument,	    NULL, 'q' },
	{ "help",	 no_argument,	    NULL, 'h' },
	{ "version",	 no_argument,	    NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static const char usage_text[] =
"usage: profil [OPTION...] COMMAND [ARGUMENT...]\n"
"       profil report [OPTION...] [FILE...]\n"
"       profil annotate [OPTION...] [FILE] FUNCTION\n"
"\n"
"Runs COMMAND, whose code the kernel samples by its clock tick, and prints\n"
"where the time went, on standard error. Each process has a file of its own.\n"
"\n"
"  -o, --output=DIR   directory of the files; default: profil.out. Profiles\n"
"                     that are there already are removed.\n"
"  -r, --rate=RATE    fast (default): 1000 samples per second of CPU time, at\n"
"                     random distances; tick: every tick of the kernel;\n"
"                     clock: 100 per second\n"
"  -C, --no-children  not the processes that COMMAND starts\n"
"  -n, --limit=N      print the N hottest functions; 0: all; default: 25\n"
"  -q, --quiet        print nothing\n"
"  -s, --samples=N    room for N samples in each file\n"
"  -h, --help         this text\n"
"  -V, --version      the version\n"
"\n"
"\"profil report --help\" describes the other two.\n";

static void bad_usage(void)
{
	fprintf(stderr, "Try 'profil --help'.\n");
	exit(EXIT_BROKEN);
}

static const char *rate(const char *name)
{
	static const char *const names[] = { "fast", "tick", "clock" };
	size_t i;

	for (i = 0; i < length_of(names); i++)
		if (!strcmp(name, names[i]))
			return name;
	warn("no rate is called %s", name);
	bad_usage();
	return NULL;
}

static const char *number(const char *text)
{
	if (!*text || text[strspn(text, "0123456789")]) {
		warn("%s is not a number", text);
		bad_usage();
	}
	return text;
}

/* As the report takes it, which would refuse it when the command has ended. */
static const char *limit(const char *text)
{
	if (strtoul(number(text), NULL, 10) > 1000000000) {
		warn("%s is not a number of functions", text);
		bad_usage();
	}
	return text;
}

static void take_option(struct options *options, int option)
{
	switch (option) {
	case 'o':
		options->directory = optarg;
		break;
	case 'r':
		options->rate = rate(optarg);
		break;
	case 's':
		options->samples = number(optarg);
		break;
	case 'n':
		options->limit = limit(optarg);
		break;
	case 'C':
		options->alone = true;
		break;
	case 'q':
		options->quiet = true;
		break;
	case 'h':
		fputs(usage_text, stdout);
		exit(0);
	case 'V':
		puts("profil " VERSION);
		exit(0);
	default:
		bad_usage();
	}
}

/* --- our own files --------------------------------------------------------- */

/* Where this program is; "" if that cannot be told. */
static const char *own_directory(void)
{
	static char path[4096];
	const char *called = (const char *)getauxval(AT_EXECFN);
	char *slash;

	if (called && called[0] == '/' && strlen(called) < sizeof(path))
		strcpy(path, called);
	else if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return "";
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return path;
}

/* In the build tree all that belongs together is side by side. */
static bool is_built(void)
{
	static int built = -1;

	if (built < 0)
		built = access(format_text("%s/" REPORT, own_directory()),
			       X_OK) == 0;
	return built;
}

static char *own_file(const char *beside, const char *name, const char *installed)
{
	if (is_built())
		return format_text("%s%s/%s", own_directory(), beside, name);
	return format_text("%s/%s", installed, name);
}

static char *report_program(void)
{
	return own_file("", REPORT, LIBEXECDIR);
}

static void __attribute__((noreturn)) run_report(char **arguments)
{
	char *program = report_program();

	execv(program, arguments);
	die("%s: %s", program, strerror(errno));
}

/* --- running a command ------------------------------------------------------ */

static const char *device_problem(int error)
{
	if (error == ENOENT || error == ENOTDIR)
		return "not there: the kernel module is not loaded (try: modprobe profil), or the device not in this container or root directory";
	if (error == ENXIO)
		return "the kernel module is not loaded (try: modprobe profil)";
	return strerror(error);
}

static const char *directory_problem(int error)
{
	if (error == EREMOTE)
		return "on a network or FUSE file system, where the kernel stores no samples";
	return strerror(error);
}

static const char *preload_problem(const char *library)
{
	if (strpbrk(library, " :"))
		return "a path with a blank or colon cannot be preloaded";
	return access(library, R_OK) < 0 ? strerror(errno) : NULL;
}

/* Ours comes first; what is there stays. */
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
		die("current directory: %s", strerror(errno));
	return format_text("%s/%s", directory, path);
}

/*
 * A program with gcc's address sanitizer does not start if a library comes
 * before the sanitizer's. Ours takes nothing over that matters to it.
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
	setenv("PROFIL_RATE", options->rate, 1);
	setenv("PROFIL_PROCESS", format_text("%d", (int)getpid()), 1);
	unsetenv("PROFIL_CHILDREN");
	unsetenv("PROFIL_QUIET");
	if (options->samples)
		setenv("PROFIL_SAMPLES", options->samples, 1);
	set_preload(library);
	allow_sanitizer();
}

/* False, with a message: the command runs without a profile. */
static bool prepare(const struct options *options, const char *command)
{
	const char *library = own_file("/../lib", PRELOAD, LIBDIR);
	struct directory directory;	/* exit closes it */
	int error;

	if (access("/dev/profil", R_OK | W_OK) < 0) {
		warn("/dev/profil: %s: %s runs without a profile",
		     device_problem(errno), command);
		return false;
	}
	if (preload_problem(library)) {
		warn("%s: %s: %s runs without a profile", library,
		     preload_problem(library), command);
		return false;
	}
	error = directory_make(&directory, options->directory);
	if (error) {
		warn("%s: %s: %s runs without a profile", options->directory,
		     directory_problem(error), command);
		return false;
	}
	if (directory.shared)
		warn("%s: another profil is at work there: its profiles are among these",
		     options->directory);
	if (!command_check(command))
		return false;
	set_environment(options, library);
	return true;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void explain(const struct options *options, const char *command)
{
	if (command_changes_user(command))
		warn("%s changes its user or group: it ran without a profile",
		     command);
	else
		warn("%s: no process made a profile", options->directory);
}

static void explain_empty(const struct options *options,
			  const struct directory_files *found, uint64_t cpu_ns)
{
	if (found->faulted)
		warn("%s: no samples: it could not be written to: disk full, or not a local one?",
		     options->directory);
	else
		warn("no samples in %.3f s of CPU time", seconds(cpu_ns));
}

/*
 * Programs that the library does not get into have no file that could say so:
 * in another root directory, of another user, static ones. But their time was
 * counted. What samples stand for varies, and starting a program takes some
 * time before there are any.
 */
static void explain_missing(const struct directory_files *found, uint64_t cpu_ns)
{
	const uint64_t least = 100000000;

	if (found->ns < cpu_ns && cpu_ns - found->ns > cpu_ns / 4 + least)
		warn("of %.3f s of CPU time, %.3f s are in no profile: see CAVEATS in profil(1)",
		     seconds(cpu_ns), seconds(cpu_ns - found->ns));
}

static void print_table(const struct options *options)
{
	char *arguments[] = {
		report_program(), (char[]){ "report" }, (char[]){ "-n" },
		(char *)(uintptr_t)options->limit,
		(char *)(uintptr_t)options->directory, NULL
	};

	unsetenv("LD_PRELOAD");
	command_help(arguments);
	fprintf(stderr, "Files in %s; \"profil report\" shows more.\n",
		options->directory);
}

static void print(const struct options *options, const char *command,
		  uint64_t cpu_ns)
{
	struct directory_files found = directory_finish(options->directory);

	if (!found.files)
		explain(options, command);
	if (options->quiet || !found.files)
		return;
	if (found.samples)
		print_table(options);
	else
		explain_empty(options, &found, cpu_ns);
	/* Its other processes are not asked for. */
	if (!options->alone)
		explain_missing(&found, cpu_ns);
}

int main(int argc, char **argv)
{
	struct options options = {
		.directory = "profil.out", .rate = "fast", .limit = "25",
	};
	struct command_end end;
	bool profiled;
	int option;

	if (argc > 1 && (!strcmp(argv[1], "report") || !strcmp(argv[1], "annotate")))
		run_report(argv);
	while ((option = getopt_long(argc, argv, "+o:r:s:n:CqhV", long_options,
				     NULL)) != -1)
		take_option(&options, option);
	if (optind == argc)
		bad_usage();
	profiled = prepare(&options, argv[optind]);
	end = command_run(argv + optind, profiled && options.alone);
	if (profiled)
		print(&options, argv[optind], end.cpu_ns);
	command_exit(end.status);
}
