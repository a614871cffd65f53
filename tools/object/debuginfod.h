/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits what elfutils asks the servers in DEBUGINFOD_URLS. It remembers itself which
 * build IDs they do not know.
 */
#ifndef DEBUGINFOD_H
#define DEBUGINFOD_H

#include <stdbool.h>

/* Before an object is opened, for which they may be asked. */
void debuginfod_begin(void);

/* After that. If a server has not answered, none is asked for other objects. */
void debuginfod_end(bool found);

#endif
