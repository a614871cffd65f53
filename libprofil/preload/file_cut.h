/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the unused space of the profile file of a process that ends. */
#ifndef PRELOAD_FILE_CUT_H
#define PRELOAD_FILE_CUT_H

#include "file.h"

/*
 * Replaces the file by one with @samples samples and @stacks bytes of stacks, and no
 * unused space. The sampler must be stopped: later samples would be lost. On failure the
 * file stays as it is. May be called in a signal handler.
 */
void file_cut(const struct file *file, uint64_t samples, uint64_t stacks);

#endif
