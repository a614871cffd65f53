/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * IRIX: profil() is in <unistd.h>, sprofil() in <sys/profil.h>. profil()'s
 * offset has the width of an address here: IRIX's unsigned int is too narrow for
 * 64-bit programs.
 */
#ifndef LIBPROFIL_DIALECT_IRIX
#define LIBPROFIL_DIALECT_IRIX

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long __psunsigned_t;

int profil(unsigned short *buff, unsigned int bufsiz, __psunsigned_t offset,
	   unsigned int scale) __asm__("profil_irix");

#ifdef __cplusplus
}
#endif

#endif
