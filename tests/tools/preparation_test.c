// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What profil(1) does before it runs a command, as if there was a device; and why a program
 * ran without the preloaded library, judged by its file.
 */
#include "unit.h"
#include "run/preparation.h"
#include "run/program.h"
#include "synthetic.h"

#include <sys/xattr.h>

const char *__asan_default_options(void);
int __wrap_access(const char *path, int mode);
uid_t __wrap_geteuid(void);

static uid_t user;

/* What profil allocates here, it needs until the command runs, and it runs once. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* The device and the library are there. */
int __wrap_access(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return 0;
}

uid_t __wrap_geteuid(void)
{
	return user;
}

static struct synthetic file;
static struct options options;

/* With a profile of an earlier command in the directory. */
static int earlier(void **state)
{
	(void)state;
	options = (struct options){ .directory = synthetic_directory(), .rate = "fast" };
	synthetic_begin(&file);
	synthetic_write(&file, "prog.1", file.size);
	return setenv("PATH", "/usr/bin:/bin", 1);
}

static bool prepare(const char *command)
{
	bool prepared = preparation_make(&options, command);

	/* The directory's, which profil closes when it exits. */
	closefrom(STDERR_FILENO + 1);
	return prepared;
}

TEST(waits_are_recorded_if_they_are_wanted)
{
	options.waits = true;
	assert_true(prepare("env"));
	assert_string_equal(getenv("PROFIL_WAITS"), "1");
	options.waits = false;
	assert_true(prepare("env"));
	assert_null(getenv("PROFIL_WAITS"));
}

TEST(a_missing_command_leaves_the_profile)
{
	assert_false(prepare("nonesuch"));
	assert_int_equal(synthetic_size("prog.1"), (off_t)file.size);
	assert_false(prepare("/nonesuch"));
	assert_false(prepare(""));
	assert_int_equal(synthetic_size("prog.1"), (off_t)file.size);
}

TEST(what_is_no_program_leaves_the_profile)
{
	assert_false(prepare("/"));
	assert_false(prepare(synthetic_path("prog.1")));
	assert_int_equal(synthetic_size("prog.1"), (off_t)file.size);
}

/* As execvp(3) does it. */
TEST(an_empty_part_of_path_is_the_current_directory)
{
	assert_int_equal(chdir("/usr/bin"), 0);
	setenv("PATH", "/nonesuch:", 1);
	assert_true(prepare("env"));
	setenv("PATH", "", 1);
	assert_true(prepare("env"));
	assert_int_equal(chdir("/"), 0);
}

TEST(without_path_there_is_a_standard_one)
{
	unsetenv("PATH");
	assert_true(prepare("env"));
}

static int next_descriptor(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

/* Of an ELF file and of a script. */
TEST(to_look_at_many_programs_takes_no_descriptors)
{
	int fd = next_descriptor();

	assert_int_equal(program_kind("/proc/self/exe", false), PROGRAM_PRELOADED);
	assert_int_equal(program_kind("ldd", false), PROGRAM_PRELOADED);
	assert_int_equal(next_descriptor(), fd);
}

static int clean(void **state)
{
	(void)state;
	remove(synthetic_path("program"));
	user = getuid();
	return 0;
}

static const char *program(mode_t mode)
{
	const char *path = synthetic_write(&file, "program", 100);

	assert_int_equal(chmod(path, mode), 0);
	return path;
}

TEST_WITH(a_plain_program_gives_no_reason, clean, clean)
{
	assert_null(program_privileges(program(0755)));
	assert_null(program_privileges("nonesuch"));
}

TEST_WITH(a_set_user_id_program_of_another_user_is_named, clean, clean)
{
	user = getuid() + 1;
	assert_string_equal(program_privileges(program(04755)), "changes its user or group");
	user = getuid();
	assert_null(program_privileges(program(04755)));
}

/* CAP_NET_RAW, permitted and effective, as in linux/capability.h. */
TEST_WITH(file_capabilities_are_named, clean, clean)
{
	static const unsigned char capabilities[20] = { 1, 0, 0, 2, 0, 0x20 };
	const char *path = program(0755);

	if (setxattr(path, "security.capability", capabilities, sizeof(capabilities), 0) < 0)
		skip();
	user = 1000;
	assert_string_equal(program_privileges(path), "has file capabilities");
	/* They give root nothing, so its programs are preloaded. */
	user = 0;
	assert_null(program_privileges(path));
}

UNIT_MAIN("preparation", earlier, NULL, NULL, NULL)
