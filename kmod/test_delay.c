// SPDX-License-Identifier: GPL-2.0-only
/* Sleeps between the steps of a protocol, in modules built for tests. */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "profile.h"

static unsigned int delay_us;
module_param(delay_us, uint, 0644);
MODULE_PARM_DESC(delay_us, "tests only: mean sleep between protocol steps in us (default 0)");

void profil_test_delay(void)
{
	unsigned int us = READ_ONCE(delay_us);

	might_sleep();
	if (us)
		fsleep(get_random_u32() % (2 * us));
}
