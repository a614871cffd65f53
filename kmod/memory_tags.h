/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: words of memory may have tags, with which those of addresses are compared. The
 * process's buffers are known by addresses without, so they are not compared here: else
 * its own memory would look like some that cannot be written. Where nothing else is
 * called that could be interrupted.
 *
 * Layer: ground.
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
