/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The user at the other end of a connection on this machine. */
#ifndef PEER_H
#define PEER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * The user of the socket that is connected from @client to @server. False if there is no
 * such socket in this network namespace, or it has been closed.
 */
bool peer_user(const struct sockaddr_in *client, const struct sockaddr_in *server, uid_t *user);

#endif
