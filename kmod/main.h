/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_MAIN_H
#define _PROFIL_MAIN_H

#include <linux/types.h>

/* Module parameter tick_hook. */
enum profil_hook {
	PROFIL_HOOK_AUTO,
	PROFIL_HOOK_FTRACE,
	PROFIL_HOOK_KPROBE,
};

extern unsigned int profil_max_profiles;
extern bool profil_enabled;
extern bool profil_restrict_fastprof;
extern enum profil_hook profil_tick_hook;

#endif /* _PROFIL_MAIN_H */
