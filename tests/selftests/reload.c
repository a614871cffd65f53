// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The module is unloaded right after profiles have run, and loaded while ftrace is
 * switched off and on.
 */
#include "hook.h"

static void profile_in_child(unsigned int rate)
{
	IN_CHILD {
		start_tally(rate);
		check_tally(3);
	}
}

TEST(tick_is_hooked_while_the_module_is_loaded_and_no_longer)
{
	struct module module;
	bool hook;

	need_tracing();
	module = this_module();
	hook = hooked();
	for (unsigned int i = 0; i < 6; i++) {
		profile_in_child(i % 3);
		unload();
		CHECK(!hooked());
		load(&module, "");
		CHECK_EQ(hooked(), hook);
	}
	profile_in_child(PROFIL_RATE_FAST);
}

TEST(fast_rate_restricted_at_load_stays_refused)
{
	struct module module = this_module();
	int refused;

	unload();
	load(&module, "restrict_fastprof=Y");
	CHECK_CALL(write_file(PARAMETERS "/restrict_fastprof", "N"));
	refused = start_region(everything(&tally, 4, 4), PROFIL_RATE_FAST);
	profile_in_child(PROFIL_RATE_TICK);
	unload();
	load(&module, "");
	CHECK_EQ(refused, -EACCES);
	profile_in_child(PROFIL_RATE_FAST);
}

/* While the hook is set, it stays on. */
static pid_t toggle_ftrace(void)
{
	pid_t pid = FORK();

	if (pid)
		return pid;
	for (;;) {
		if (set_ftrace("0") != 0)
			CHECK_EQ(errno, EBUSY);
		sleep_ms(30);
		CHECK_CALL(set_ftrace("1"));
		sleep_ms(30);
	}
}

TEST(module_comes_and_goes_while_ftrace_is_switched_off_and_on)
{
	struct module module;
	pid_t toggler;

	need_tracing();
	module = this_module();
	toggler = toggle_ftrace();
	for (unsigned int i = 0; i < 12; i++) {
		profile_in_child(i % 3);
		unload();
		load(&module, "");
	}
	end_by_force(toggler);
	CHECK_CALL(set_ftrace("1"));
	unload();
	load(&module, "");
	profile_in_child(PROFIL_RATE_TICK);
	profile_in_child(PROFIL_RATE_FAST);
}
