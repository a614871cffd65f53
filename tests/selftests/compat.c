// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * 32-bit callers on a 64-bit kernel: histograms, and buffers beyond their reach,
 * in a program without libc, so that no 32-bit libraries are needed. If there are any,
 * "make m32" builds all other selftests as 32-bit programs.
 */
#include "abi.h"
#include "harness.h"

static void run_caller(const char *program)
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
		execl(path, program, NULL);
		if (errno == ENOEXEC)
			SKIP("no such programs on this kernel");
		FAIL("%s: %s", path, strerror(errno));
	}
	wait_ok(pid);
}

CASE(caller_of_32_bits_is_served_within_its_reach, run_caller("caller32"))
CASE(x32_caller_is_served_like_other_32_bit_callers, run_caller("callerx32"))
