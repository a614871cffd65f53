/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a start of a sample array does without if the kernel refuses it. */
#ifndef PRELOAD_START_REQUEST_H
#define PRELOAD_START_REQUEST_H

#include <linux/profil.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * After a start was refused with @error, an errno: asks for the next lower rate if this
 * one is not granted; and for less if the module cannot do all of it, or has no memory
 * for waits or stacks. @known: the flags of struct profil_features. False: there is
 * nothing to do without, or the error may pass.
 */
bool start_request_reduce(struct profil_samples *samples, int error, uint32_t known);

#endif
