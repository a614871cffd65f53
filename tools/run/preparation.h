/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps before a command is profiled. */
#ifndef PREPARATION_H
#define PREPARATION_H

#include "run/options.h"

/*
 * Creates the directory and sets the environment for the command. Returns false,
 * after a message, if the command must run without a profile.
 */
bool preparation_make(const struct options *options, const char *command);

#endif
