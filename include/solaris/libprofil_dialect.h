/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solaris and illumos: profil() is in <unistd.h>, pcsample() in <pcsample.h>. */
#ifndef LIBPROFIL_DIALECT_SOLARIS
#define LIBPROFIL_DIALECT_SOLARIS

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void profil(unsigned short *buff, size_t bufsiz, unsigned long offset,
	    unsigned int scale) __asm__("profil_solaris");

long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif
