/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process's command line, over which a program may write a title. */
#ifndef PRELOAD_ARGUMENTS_H
#define PRELOAD_ARGUMENTS_H

#include "file.h"

/* Logs the command line, or the beginning of a long one. */
void arguments_log(struct file *file, int argc, char **argv);

/* Logs it again if it has changed. */
void arguments_log_title(struct file *file);

#endif
