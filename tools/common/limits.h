/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of this process, as setrlimit(2) has them. */
#ifndef LIMITS_H
#define LIMITS_H

/* As much of @resource, RLIMIT_*, as the system allows. */
void limits_raise(int resource);

#endif
