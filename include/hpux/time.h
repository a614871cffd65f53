/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libc's <time.h>, with HP-UX's profil(). */
#pragma GCC system_header

#include_next <time.h>
#include <libprofil_dialect.h>
