// SPDX-License-Identifier: LGPL-2.1-or-later
#include "serve/peer.h"

#include <stdio.h>

/*
 * Looks for the socket in a list of the kernel's, whose lines begin as @format says. It prints
 * an address as a number of the machine, and a port as it is.
 */
static bool find(const char *path, const char *format, const struct sockaddr_in *client,
		 const struct sockaddr_in *server, uid_t *user)
{
	unsigned int from, from_port, to, to_port;
	FILE *file = fopen(path, "re");
	unsigned long inode;
	bool found = false;
	char line[512];
	int at;

	while (file && !found && fgets(line, sizeof(line), file))
		/* A socket that its process has closed has no inode, and user 0. */
		found = sscanf(line, format, &from, &from_port, &to, &to_port, &at) == 4 &&
			sscanf(line + at, "%*x %*x:%*x %*x:%*x %*x %u %*u %lu", user, &inode) == 2 &&
			from == client->sin_addr.s_addr && from_port == ntohs(client->sin_port) &&
			to == server->sin_addr.s_addr && to_port == ntohs(server->sin_port) &&
			inode;
	if (file)
		fclose(file);
	return found;
}

/* Sockets of IPv6 can have addresses of IPv4, as those of Java have. */
#define MAPPED	"0000000000000000FFFF0000"

bool peer_user(const struct sockaddr_in *client, const struct sockaddr_in *server, uid_t *user)
{
	return find("/proc/net/tcp", "%*u: %x:%x %x:%x%n", client, server, user) ||
	       find("/proc/net/tcp6", "%*u: " MAPPED "%x:%x " MAPPED "%x:%x%n", client, server,
		    user);
}
