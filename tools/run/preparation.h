/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What has to be there before a command is profiled. */
#ifndef PREPARATION_H
#define PREPARATION_H

#include "run/options.h"

/*
 * Makes the directory, and sets the environment for the command. False, with a
 * message: the command runs without a profile.
 */
bool preparation_make(const struct options *options, const char *command);

#endif
