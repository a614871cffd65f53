// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/shortened_file.h"

#include <signal.h>
#include <unistd.h>

/* Only elfutils knows which file it was, and it may have been interrupted anywhere. */
static void on_bus_error(int signal)
{
	static const char message[] = "profil: a program, a library or its debug "
		"information became shorter while it was read\n";

	ssize_t told = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)signal;
	(void)told;
	_exit(1);
}

void shortened_file_watch(void)
{
	struct sigaction action = { .sa_handler = on_bus_error };

	sigaction(SIGBUS, &action, NULL);
}
