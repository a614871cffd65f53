/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libc's <sys/sysinfo.h>, with Tru64's getsysinfo(). */
#pragma GCC system_header

#include_next <sys/sysinfo.h>
#include <libprofil_dialect.h>
