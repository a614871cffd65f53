/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64 compares tags of memory with tags of addresses. The module knows the process's
 * buffers by addresses without tags, so it switches the comparison off for its own
 * accesses; otherwise they would fail. No other code may run in between.
 */
#ifndef _PROFIL_MEMORY_TAGS_H
#define _PROFIL_MEMORY_TAGS_H

#include <linux/compiler.h>
#ifdef CONFIG_ARM64_MTE
#include <asm/cpufeature.h>
#include <asm/sysreg.h>
#endif

#ifdef CONFIG_ARM64_MTE
static __always_inline void profil_tags_ignore(void)
{
	if (system_supports_mte())
		asm volatile(SET_PSTATE_TCO(1) : : : "memory");
}

static __always_inline void profil_tags_compare(void)
{
	if (system_supports_mte())
		asm volatile(SET_PSTATE_TCO(0) : : : "memory");
}
#else
static __always_inline void profil_tags_ignore(void)
{
}

static __always_inline void profil_tags_compare(void)
{
}
#endif

#endif /* _PROFIL_MEMORY_TAGS_H */
