/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_COUNTER_H
#define _PROFIL_COUNTER_H

#include <linux/types.h>

struct profil_region_compiled;

int profil_counter_add(const struct profil_region_compiled *counter, u64 addr);
bool profil_mm_loaded(u64 addr);
int profil_sample_store(u64 addr, u32 width, u64 pc);

#endif /* _PROFIL_COUNTER_H */
