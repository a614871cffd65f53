// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/end_signals.h"

#include <stdbool.h>

/* As by nohup(1). A signal that is blocked arrives also if it is ignored. */
static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void end_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGQUIT);
	if (!is_ignored(SIGHUP))
		sigaddset(signals, SIGHUP);
}
