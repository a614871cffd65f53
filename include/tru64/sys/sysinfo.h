/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libc's <sys/sysinfo.h>, with Tru64's getsysinfo(). */
#pragma GCC system_header

#include_next <sys/sysinfo.h>
#include <libprofil_dialect.h>

#ifndef LIBPROFIL_TRU64_SYS_SYSINFO_H
#define LIBPROFIL_TRU64_SYS_SYSINFO_H

#ifdef __cplusplus
extern "C" {
#endif

/* Clock ticks per second, as an int. */
#define GSI_CLK_TCK	42

int getsysinfo(unsigned long op, void *buffer, unsigned long nbytes, int *start,
	       void *arg, ...) __asm__("getsysinfo_tru64");

#ifdef __cplusplus
}
#endif

#endif
