/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where code is, from the dynamic linker's list. */
#ifndef LIBPROFIL_LOADED_CODE_H
#define LIBPROFIL_LOADED_CODE_H

#include <link.h>
#include <linux/profil.h>
#include <stdbool.h>

/*
 * Describes segment @i of an object in the linker's list for the kernel. False:
 * the segment has no code.
 */
bool libprofil_loaded_code_of(const struct dl_phdr_info *info, unsigned int i,
		       struct profil_object *code);

#endif
