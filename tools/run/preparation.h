/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps before a command, or a process, is profiled. */
#ifndef PREPARATION_H
#define PREPARATION_H

#include "attach/attach.h"
#include "run/options.h"

/* How the command is profiled. */
enum preparation {
	PREPARATION_FAILED,	/* not at all */
	PREPARATION_PRELOADED,	/* by the library */
	PREPARATION_ATTACHED,	/* profil attaches to it */
};

/*
 * Creates the directory and sets the environment for the command. If the command must run
 * without a profile, a message says why.
 */
enum preparation preparation_make(const struct options *options, const char *command);

/* Opens the device. If that fails, ends with a message. */
struct attach preparation_open(const struct options *options);

/*
 * The same, and creates the directory for the profile of a running process. If
 * that fails, ends with a message.
 */
struct attach preparation_attach(const struct options *options);

#endif
