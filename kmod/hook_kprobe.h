/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_HOOK_KPROBE_H
#define _PROFIL_HOOK_KPROBE_H

#include <linux/errno.h>

#ifdef CONFIG_KPROBES
int profil_kprobe_attach(void);
void profil_kprobe_detach(void);
#else
static inline int profil_kprobe_attach(void) { return -EOPNOTSUPP; }
static inline void profil_kprobe_detach(void) { }
#endif

#endif /* _PROFIL_HOOK_KPROBE_H */
