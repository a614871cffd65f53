/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * <unistd.h> for programs that were written for another system: libc's, with
 * that system's profil() in the place of libc's. Which system it is, is said by
 * the directory in front of this one.
 */
#pragma GCC system_header

#pragma push_macro("profil")
#undef profil
#define profil profil_of_libc
#include_next <unistd.h>
#pragma pop_macro("profil")

#include <libprofil_dialect.h>
