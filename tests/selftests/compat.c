// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * 32-bit callers on a 64-bit kernel: each test runs one behaviour of caller32,
 * a program without libc, so that no 32-bit libraries are needed. Where there
 * are any, "make m32" has all the other selftests for them.
 */
#include "abi.h"
#include "harness.h"

static void run_caller(const char *program, const char *behaviour)
{
	char path[4096];
	ssize_t length = CHECK_CALL(readlink("/proc/self/exe", path, sizeof(path) - 16));
	char *name;
	pid_t pid;

	path[length] = '\0';
	name = strrchr(path, '/');
	CHECK(name != NULL);
	strcpy(name + 1, program);
	if (access(path, X_OK) != 0)
		SKIP("no 32-bit program was built");
	pid = FORK();
	if (pid == 0) {
		execl(path, program, behaviour, NULL);
		if (errno == ENOEXEC)
			SKIP("no such programs on this kernel");
		FAIL("%s: %s", path, strerror(errno));
	}
	wait_ok(pid);
}

static void run_caller32(const char *behaviour)
{
	run_caller("caller32", behaviour);
}

TEST(features_of_a_32_bit_caller_are_those_of_a_64_bit_one)
{
	run_caller32("features");
}

TEST(histogram_of_a_32_bit_caller_counts)
{
	run_caller32("histogram");
}

TEST(regions_of_a_32_bit_caller_count_where_they_are)
{
	run_caller32("regions");
}

TEST(samples_of_a_32_bit_caller_are_4_byte_pcs)
{
	run_caller32("samples");
}

TEST(page_of_a_32_bit_caller_is_in_its_reach)
{
	run_caller32("page");
}

TEST(fork_child_of_a_32_bit_caller_goes_on)
{
	run_caller32("fork");
}

TEST(buffer_unmapped_by_a_32_bit_caller_stops_the_profile)
{
	run_caller32("unmap");
}

TEST(buffer_beyond_the_reach_of_a_32_bit_caller_is_refused)
{
	run_caller32("beyond");
}

TEST(bad_requests_of_a_32_bit_caller_have_the_same_errors)
{
	run_caller32("errors");
}

TEST(unknown_commands_of_a_32_bit_caller_are_not_tty)
{
	run_caller32("commands");
}

TEST(x32_caller_is_served_like_other_32_bit_callers)
{
	static const char *const behaviours[] = {
		"features", "histogram", "regions", "samples", "page", "fork",
		"unmap", "beyond", "errors", "commands",
	};

	for (size_t i = 0; i < sizeof(behaviours) / sizeof(behaviours[0]); i++)
		run_caller("callerx32", behaviours[i]);
}
