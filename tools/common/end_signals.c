// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/end_signals.h"

#include <stdbool.h>

/*
 * As by nohup(1). A signal that is blocked arrives even if it is ignored. SIGINT and SIGQUIT are
 * taken all the same: shells ignore them for "profil ... &", which kill -INT is to end.
 */
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
