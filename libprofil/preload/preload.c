// SPDX-License-Identifier: LGPL-2.1-or-later
#include "preload.h"

#include <dlfcn.h>

struct preload preload;

void *preload_next(const char *symbol)
{
	return dlsym(RTLD_NEXT, symbol);
}

bool preload_has_file(void)
{
	return file_is_ours(&preload.file);
}

void preload_resume(void)
{
	struct sampler *sampler = &preload.sampler;

	if (preload.file.header)
		sampler_start(sampler, &preload.file,
			      sampler_position(sampler), -1);
}
