// SPDX-License-Identifier: LGPL-2.1-or-later
/* Loads a plugin that is only found along the RUNPATH of this object. */
#include <dlfcn.h>

void *find(void);

void *find(void) { return dlopen("by_name.so", RTLD_NOW); }
