/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libc's <sys/resource.h>, with Tru64's profil(). */
#pragma GCC system_header

#include_next <sys/resource.h>
#include <libprofil_dialect.h>
