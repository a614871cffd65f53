/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives each fork child a file of its own. */
#ifndef PRELOAD_FORK_H
#define PRELOAD_FORK_H

/* Called before a fork, and in the child. Both leave errno alone. */
void fork_prepare(void);
void fork_child(void);

#endif
