/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_HOOK_KPROBE_H
#define _PROFIL_HOOK_KPROBE_H

#include <linux/errno.h>

#ifdef CONFIG_KPROBES
int profil_kprobe_set(void);
void profil_kprobe_remove(void);
#else
static inline int profil_kprobe_set(void) { return -EOPNOTSUPP; }
static inline void profil_kprobe_remove(void) { }
#endif

#endif /* _PROFIL_HOOK_KPROBE_H */
