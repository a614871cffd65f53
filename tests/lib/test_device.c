// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/device.c, status.c and memory.c: ways into the kernel. */
#include "kernel.h"

#include "../../libprofil/memory.h"

static struct profil_status status = { .size = sizeof(status) };

TEST(an_open_and_a_command_are_repeated_after_a_signal)
{
	kernel.open_eintr = 3;
	assert_success(profil_get_status(&status));
	assert_int_equal(kernel.opens, 1);
	kernel.ioctl_eintr = 3;
	assert_success(profil_get_status(&status));
	assert_int_equal(kernel.opens, 2);
}

/* No device node, one that is left over, another driver's; else what it said. */
TEST(errors_of_the_device_are_told)
{
	static const struct { int open_error, ioctl_error, ioctl_result, told; } rows[] = {
		{ .open_error = ENOENT, .told = ENODEV }, { .open_error = ENXIO, .told = ENODEV },
		{ .open_error = ENODEV, .told = ENODEV }, { .ioctl_error = ENOTTY, .told = ENODEV },
		{ .ioctl_result = 1, .told = ENODEV }, { .ioctl_error = ENOMEM, .told = ENOMEM },
		{ .open_error = EACCES, .told = EACCES }, { .open_error = EPERM, .told = EPERM },
		{ .open_error = EMFILE, .told = EMFILE }, { .open_error = ENFILE, .told = ENFILE },
		{ .open_error = ENOMEM, .told = ENOMEM },
		/* A seccomp filter may say so for ever. */
		{ .open_error = EINTR, .told = EPERM }, { .ioctl_error = EINTR, .told = EPERM },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		kernel.open_error = rows[i].open_error;
		kernel.ioctl_error = rows[i].ioctl_error;
		kernel.ioctl_result = rows[i].ioctl_result;
		assert_errno(profil_get_status(&status), rows[i].told);
		/* Whatever was opened is closed again. */
		assert_int_equal(kernel.opens, kernel.closes);
	}
}

TEST(a_probe_of_memory_stays_in_the_word_of_the_first_byte)
{
	static char bytes[64] __attribute__((aligned(64)));

	assert_true(libprofil_memory_is_readable(bytes + 9, 20));
	assert_ptr_equal(kernel.probed, bytes + 8);
	assert_true(libprofil_memory_is_readable(bytes + 32, 4));
	assert_ptr_equal(kernel.probed, bytes + 32);
}

UNIT_MAIN("device", kernel_boot, kernel_halt, NULL, NULL)
