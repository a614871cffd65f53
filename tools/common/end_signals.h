/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The signals by which people and services end a program. */
#ifndef END_SIGNALS_H
#define END_SIGNALS_H

#include <signal.h>

void end_signals(sigset_t *signals);

#endif
