// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleeps between the steps of a protocol, in modules built for tests.
 *
 * Layer: ground.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "delay.h"

static unsigned int profil_delay_us;
module_param_named(delay_us, profil_delay_us, uint, 0644);
MODULE_PARM_DESC(delay_us, "tests only: mean sleep between steps of a protocol (0)");

void profil_delay(void)
{
	unsigned int us = READ_ONCE(profil_delay_us);

	might_sleep();
	if (us)
		fsleep(get_random_u32() % (2 * us));
}

static unsigned int profil_late_carries;
module_param_named(late_carries, profil_late_carries, uint, 0644);
MODULE_PARM_DESC(late_carries, "tests only: one of so many carries has to wait (0: none)");

/* From ticks, too, where get_random_u32() takes a lock that may sleep (PREEMPT_RT). */
bool profil_delay_carry(void)
{
	static atomic_t carries;
	unsigned int n = READ_ONCE(profil_late_carries);

	return n && !(jhash_1word(atomic_inc_return(&carries), 0) % n);
}
