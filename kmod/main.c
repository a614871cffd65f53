// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil.ko: module parameters, loading and unloading.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "clock.h"
#include "device.h"
#include "limit.h"
#include "main.h"
#include "rate.h"

unsigned int profil_max_profiles = 4096;
bool profil_enabled = true;
bool profil_restrict_fastprof;
enum profil_hook profil_tick_hook;

module_param_named(max_profiles, profil_max_profiles, uint, 0644);
MODULE_PARM_DESC(max_profiles, "most profiles of one user (4096)");

static int profil_set_enabled(const char *value, const struct kernel_param *kp)
{
	int err = param_set_bool(value, kp);

	if (!err && !profil_enabled)
		profil_limit_stop_all();
	return err;
}

static const struct kernel_param_ops enabled_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= profil_set_enabled,
	.get	= param_get_bool,
};

module_param_cb(enabled, &enabled_ops, &profil_enabled, 0644);
MODULE_PARM_DESC(enabled, "N stops every profile and refuses new ones with EPERM (Y)");

module_param_named(restrict_fastprof, profil_restrict_fastprof, bool, 0644);
MODULE_PARM_DESC(restrict_fastprof, "refuse the 1 ms rate with EACCES (N)");

static const char * const hook_names[] = {
	[PROFIL_HOOK_AUTO]	= "auto",
	[PROFIL_HOOK_FTRACE]	= "ftrace",
	[PROFIL_HOOK_KPROBE]	= "kprobe",
};

static int profil_set_tick_hook(const char *value, const struct kernel_param *kp)
{
	int hook = sysfs_match_string(hook_names, value);

	if (hook < 0)
		return hook;
	profil_tick_hook = hook;
	return 0;
}

static int profil_get_tick_hook(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", hook_names[profil_tick_hook]);
}

static const struct kernel_param_ops tick_hook_ops = {
	.set	= profil_set_tick_hook,
	.get	= profil_get_tick_hook,
};

module_param_cb(tick_hook, &tick_hook_ops, NULL, 0444);
MODULE_PARM_DESC(tick_hook, "how to see the tick: auto, ftrace or kprobe (auto)");

static int __init profil_init(void)
{
	int err;

	profil_rate_init();
	err = profil_clock_init();
	if (err)
		return err;
	err = profil_limit_init();
	if (err)
		goto exit_clock;
	err = profil_device_init();
	if (err)
		goto exit_limit;
	return 0;
exit_limit:
	profil_limit_exit();
exit_clock:
	profil_clock_exit();
	return err;
}

static void __exit profil_exit(void)
{
	profil_device_exit();
	/*
	 * Every open file and every profile held the module. Who gave the last one
	 * up may have been a callback, which is on its way out of our code.
	 */
	synchronize_rcu_tasks();
	profil_clock_exit();
	profil_limit_exit();
}

module_init(profil_init);
module_exit(profil_exit);

MODULE_DESCRIPTION("Program-counter profiling by the clock tick: profil(2), sprofil(2), pcsample(2)");
MODULE_LICENSE("GPL");
MODULE_VERSION(PROFIL_VERSION);
