// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function that carries the same kind of hook as the tick, and is called to see
 * whether hooks are: the administrator can switch all of them off.
 *
 * Layer: source, on tick.
 */
#include <linux/compiler.h>

#include "hook_probe.h"

atomic_t profil_probe_hits;

noinline void profil_hook_probe(void)
{
	barrier();
}

/*
 * Is the hook that has been set called? Takes no lock, and nobody spoils another's
 * look: hits are counted, and never taken back.
 */
bool profil_hook_is_alive(void)
{
	int hits = atomic_read(&profil_probe_hits);

	profil_hook_probe();
	return atomic_read(&profil_probe_hits) != hits;
}
