/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --rotate: a profile without end, in directories that are begun one after the other. */
#ifndef ROTATION_H
#define ROTATION_H

#include "run/attachment.h"
#include "run/options.h"

/*
 * Profiles the process of @attachment until it ends, its time is over, or a signal ends
 * this process. Returns false if it could not be attached to.
 */
bool rotation_run(const struct options *options, const struct attachment *attachment);

#endif
