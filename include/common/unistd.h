/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <unistd.h> for programs that were written for another system: libc's header
 * with that system's profil() in place of libc's. The include directory before
 * this one chooses the system.
 */
#pragma GCC system_header

#pragma push_macro("profil")
#undef profil
#define profil profil_of_libc
#include_next <unistd.h>
#pragma pop_macro("profil")

#include <libprofil_dialect.h>
