// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil.ko: loading and unloading. Each parameter is with what it governs.
 *
 * Layer: entry, on lifetime and clock.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "clock.h"
#include "device.h"
#include "mapping.h"
#include "rate.h"

static int __init profil_init(void)
{
	int err;

	profil_rate_init();
	err = profil_clock_init();
	if (err)
		return err;
	err = profil_mapping_init();
	if (err)
		goto exit_clock;
	err = profil_device_init();
	if (err)
		goto exit_mapping;
	return 0;
exit_mapping:
	profil_mapping_exit();
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
	profil_mapping_exit();
}

module_init(profil_init);
module_exit(profil_exit);

MODULE_DESCRIPTION("Program-counter profiling by the clock tick: profil(2), sprofil(2), pcsample(2)");
MODULE_LICENSE("GPL");
MODULE_VERSION(PROFIL_VERSION);
