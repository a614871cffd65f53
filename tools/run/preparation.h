/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps before a command, or a process, is profiled. */
#ifndef PREPARATION_H
#define PREPARATION_H

#include "attach/attach.h"
#include "run/options.h"

/*
 * Creates the directory and sets the environment for the command. Returns false,
 * after a message, if the command must run without a profile.
 */
bool preparation_make(const struct options *options, const char *command);

/*
 * Opens the device and creates the directory for the profile of a running process. If
 * that fails, ends with a message.
 */
struct attach preparation_attach(const struct options *options);

#endif
