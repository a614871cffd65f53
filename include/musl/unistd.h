/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <unistd.h> for a libc without profil(), such as musl: libc's header and profil(). */
#pragma GCC system_header
#include_next <unistd.h>

#ifndef LIBPROFIL_MUSL_UNISTD_H
#define LIBPROFIL_MUSL_UNISTD_H

/* The same condition as for libc's other calls of this kind. */
#if defined(_GNU_SOURCE) || defined(_BSD_SOURCE)

#ifdef __cplusplus
extern "C" {
#endif

int profil(unsigned short *buf, size_t bufsiz, size_t offset,
	   unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
#endif
