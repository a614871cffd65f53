// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * 32-bit callers on a 64-bit kernel: each test runs one behaviour of caller32, a program
 * without libc. So the tests need no 32-bit libraries. If there are such libraries,
 * "make m32" builds all other selftests as 32-bit programs, with each bad request.
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

CASE(histogram_of_a_32_bit_caller_counts, run_caller("caller32", "histogram"))
CASE(samples_of_a_32_bit_caller_are_4_byte_pcs, run_caller("caller32", "samples"))
CASE(page_of_a_32_bit_caller_is_in_its_reach, run_caller("caller32", "page"))
CASE(buffer_beyond_a_32_bit_caller_is_refused, run_caller("caller32", "beyond"))

TEST(x32_caller_is_served_like_other_32_bit_callers)
{
	static const char *const behaviours[] = {
		"histogram", "samples", "page", "beyond",
	};

	for (size_t i = 0; i < sizeof(behaviours) / sizeof(behaviours[0]); i++)
		run_caller("callerx32", behaviours[i]);
}
