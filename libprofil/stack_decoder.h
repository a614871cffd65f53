/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For readers that do not have the whole stream in memory. */
#ifndef LIBPROFIL_STACK_DECODER_H
#define LIBPROFIL_STACK_DECODER_H

#include <stddef.h>

struct profil_stacks;

/*
 * Goes on with the stream behind profil_stacks_offset(), whose next @bytes are at @rest.
 * The offset counts from there. The last record in @rest must be whole, or not be read.
 */
void libprofil_stacks_continue(struct profil_stacks *stacks, const void *rest,
			       size_t bytes);

#endif
