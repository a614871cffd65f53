/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_STACK_TICK_H
#define _PROFIL_STACK_TICK_H

#include <linux/types.h>

struct profil;

void profil_stack_tick(struct profil *p, u64 sample, u64 ip, bool user);

#endif /* _PROFIL_STACK_TICK_H */
