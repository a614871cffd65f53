/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The HTTP server: who may ask, what is answered, and the profiles in progress. */
#ifndef SERVER_H
#define SERVER_H

#include "serve/job.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/* Characters of a token, all of which are compared. */
#define SERVER_TOKEN_MOST	256

struct server_options {
	struct job_options	job;
	union {
		struct sockaddr		any;
		struct sockaddr_in	v4;
		struct sockaddr_in6	v6;
	}			address;	/* what it listens at */
	char			host[64];	/* the same, as a number */
	bool			local;		/* nobody else can reach it */
	const char		*token;		/* NULL: only this user and root may ask */
	pid_t			pid;		/* the one process; 0: any */
};

struct pollfd;

/* At @socket, which listens. If that fails, ends the process. */
void server_start(const struct server_options *options, int socket);

/* What to wait for: at most SERVER_EVENTS. Returns how many; *@ms is for how long. */
#define SERVER_EVENTS	9
size_t server_events(struct pollfd *events, int *ms);

/* Does what can be done. */
void server_run(const struct pollfd *events, size_t n);

/*
 * Refuses new profiles, and ends the others if @now: else they end with their processes.
 * Returns false when there are none any more.
 */
bool server_stop(bool now);

/* After that: sends the last answers. */
void server_end(void);

#endif
