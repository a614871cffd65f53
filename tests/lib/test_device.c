// SPDX-License-Identifier: LGPL-2.1-or-later
/* libprofil/device.c and status.c: one way into the kernel. */
#include "kernel.h"

#include <libprofil.h>

static struct profil_status status = { .size = sizeof(status) };

static void reports_the_profile_that_runs(void **state)
{
	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 7);
	assert_success(profil_get_status(&status));
	assert_int_equal(status.tag, 7);
	assert_int_equal(status.state, PROFIL_STATE_ON);
	kernel_assert_untouched();
}

static void reports_what_the_module_can_do(void **state)
{
	struct profil_features features = { .size = sizeof(features) };

	(void)state;
	assert_success(profil_get_features(&features));
	assert_memory_equal(&features, &kernel.features, sizeof(features));
}

/* A program that was compiled with an older or a newer header. */
static void reports_as_much_as_the_caller_has_room_for(void **state)
{
	struct {
		struct profil_status	status;
		uint64_t		more;
	} longer = { .status.size = sizeof(longer), .more = 1 };
	struct profil_status shorter = { .size = 32, .ticks = 1 };

	(void)state;
	kernel_run(PROFIL_MODE_HISTOGRAM, 7);
	kernel.status.ticks = 5;
	assert_success(profil_get_status(&shorter));
	assert_int_equal(shorter.size, 32);
	assert_int_equal(shorter.tag, 7);
	assert_int_equal(shorter.ticks, 1);
	assert_success(profil_get_status((struct profil_status *)&longer));
	assert_int_equal(longer.status.size, sizeof(longer.status));
	assert_int_equal(longer.status.ticks, 5);
	assert_int_equal(longer.more, 0);
}

static void a_size_that_was_not_set_is_einval(void **state)
{
	struct profil_features no_features = { .size = 0 };
	struct profil_status no_status = { .size = 0 };

	(void)state;
	assert_errno(profil_get_status(&no_status), EINVAL);
	assert_errno(profil_get_features(&no_features), EINVAL);
}

static void opens_and_closes_once_per_call(void **state)
{
	(void)state;
	for (int i = 1; i < 5; i++) {
		assert_success(profil_get_status(&status));
		assert_int_equal(kernel.opens, i);
		assert_int_equal(kernel.closes, i);
	}
}

static void closes_after_a_failed_command(void **state)
{
	(void)state;
	kernel.ioctl_error = ENOMEM;
	assert_errno(profil_get_status(&status), ENOMEM);
	assert_int_equal(kernel.opens, 1);
	assert_int_equal(kernel.closes, 1);
}

static void an_open_is_repeated_after_a_signal(void **state)
{
	(void)state;
	kernel.open_eintr = 3;
	assert_success(profil_get_status(&status));
	assert_int_equal(kernel.opens, 1);
}

static void a_command_is_repeated_after_a_signal(void **state)
{
	(void)state;
	kernel.ioctl_eintr = 3;
	assert_success(profil_get_status(&status));
	assert_int_equal(kernel.opens, 1);
}

static void no_device_node_is_enodev(void **state)
{
	(void)state;
	kernel.open_error = ENOENT;
	assert_errno(profil_get_status(&status), ENODEV);
}

static void a_left_over_device_node_is_enodev(void **state)
{
	(void)state;
	kernel.open_error = ENXIO;
	assert_errno(profil_get_status(&status), ENODEV);
	kernel.open_error = ENODEV;
	assert_errno(profil_get_status(&status), ENODEV);
}

static void another_drivers_device_is_enodev(void **state)
{
	(void)state;
	kernel.ioctl_error = ENOTTY;
	assert_errno(profil_get_status(&status), ENODEV);
	kernel.ioctl_error = 0;
	kernel.ioctl_result = 1;
	assert_errno(profil_get_status(&status), ENODEV);
}

static void what_open_says_is_passed_on(void **state)
{
	static const int errors[] = { EACCES, EPERM, EMFILE, ENFILE, ENOMEM };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		kernel.open_error = errors[i];
		assert_errno(profil_get_status(&status), errors[i]);
	}
}

#define test(name) cmocka_unit_test_setup_teardown(name, kernel_boot, kernel_halt)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		test(reports_the_profile_that_runs),
		test(reports_what_the_module_can_do),
		test(reports_as_much_as_the_caller_has_room_for),
		test(a_size_that_was_not_set_is_einval),
		test(opens_and_closes_once_per_call),
		test(closes_after_a_failed_command),
		test(an_open_is_repeated_after_a_signal),
		test(a_command_is_repeated_after_a_signal),
		test(no_device_node_is_enodev),
		test(a_left_over_device_node_is_enodev),
		test(another_drivers_device_is_enodev),
		test(what_open_says_is_passed_on),
	};

	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
