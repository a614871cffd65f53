// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/end_signals.h"

void end_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGHUP);
	sigaddset(signals, SIGQUIT);
}
