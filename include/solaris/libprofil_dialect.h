/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solaris and illumos: <unistd.h> has profil(), <pcsample.h> has pcsample(). */
#ifndef LIBPROFIL_DIALECT_SOLARIS
#define LIBPROFIL_DIALECT_SOLARIS

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void profil(unsigned short *buff, size_t bufsiz, unsigned long offset,
	    unsigned int scale) __asm__("profil_solaris");

#ifdef __cplusplus
}
#endif

#endif
