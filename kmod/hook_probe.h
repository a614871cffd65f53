/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_HOOK_PROBE_H
#define _PROFIL_HOOK_PROBE_H

#include <linux/atomic.h>
#include <linux/types.h>

#define PROFIL_PROBE_FUNCTION	"profil_hook_probe"

/* For the hook of the probe: one more each time. */
extern atomic_t profil_probe_hits;

void profil_hook_probe(void);
bool profil_hook_is_alive(void);

#endif /* _PROFIL_HOOK_PROBE_H */
