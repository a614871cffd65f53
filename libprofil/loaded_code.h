/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where code is, from the dynamic linker's own list. */
#ifndef LIBPROFIL_LOADED_CODE_H
#define LIBPROFIL_LOADED_CODE_H

#include <link.h>
#include <linux/profil.h>
#include <stdbool.h>

/*
 * What the kernel is told of the segment number @i of an object in the linker's
 * list. False: nothing, there is no code in it.
 */
bool libprofil_loaded_code_of(const struct dl_phdr_info *info, unsigned int i,
		       struct profil_object *code);

#endif
