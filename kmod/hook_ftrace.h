/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_HOOK_FTRACE_H
#define _PROFIL_HOOK_FTRACE_H

#include <linux/errno.h>

#ifdef CONFIG_DYNAMIC_FTRACE
int profil_ftrace_attach(void);
void profil_ftrace_detach(void);
#else
static inline int profil_ftrace_attach(void) { return -EOPNOTSUPP; }
static inline void profil_ftrace_detach(void) { }
#endif

#endif /* _PROFIL_HOOK_FTRACE_H */
