// SPDX-License-Identifier: LGPL-2.1-or-later
#include "serve/peer.h"

#include <stdio.h>

/* The kernel prints an address as a number of the machine, and a port as it is. */
bool peer_user(const struct sockaddr_in *client, const struct sockaddr_in *server, uid_t *user)
{
	unsigned int from, from_port, to, to_port;
	FILE *file = fopen("/proc/net/tcp", "re");
	unsigned long inode;
	bool found = false;
	char line[512];

	while (file && !found && fgets(line, sizeof(line), file))
		/* A socket that its process has closed has no inode, and user 0. */
		found = sscanf(line, "%*u: %x:%x %x:%x %*x %*x:%*x %*x:%*x %*x %u %*u %lu",
			       &from, &from_port, &to, &to_port, user, &inode) == 6 &&
			from == client->sin_addr.s_addr && from_port == ntohs(client->sin_port) &&
			to == server->sin_addr.s_addr && to_port == ntohs(server->sin_port) &&
			inode;
	if (file)
		fclose(file);
	return found;
}
