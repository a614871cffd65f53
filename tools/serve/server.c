// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One thread. A connection has one request. While a job makes its profile, the connection
 * is suspended, and this file looks whether the client is still there.
 */
#include "serve/server.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/message.h"
#include "serve/peer.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MOST	64
#define CONNECTIONS_OF_ONE	16	/* of another machine */
#define JOBS_MOST		4
#define SECONDS_MOST		300
#define SECONDS_USUAL		30
#define REQUEST_MS		10000	/* for a whole request */
#define ANSWER_MS		60000
#define END_MS			5000
#define LOOK_MS			1000

struct client {
	struct client		*next;
	struct MHD_Connection	*connection;
	int			socket;
	int64_t			until;		/* INT64_MAX while there is a job */
	struct job		job;		/* its pid is 0: none, or ended */
	bool			made, stopped;
};

static const struct server_options *options;
static struct MHD_Daemon *daemon_;
static struct client *clients;
static unsigned int njobs;
static bool stopping;

/* --- Answers -------------------------------------------------------------------------- */

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned int status,
			    const char *type, struct MHD_Response *response)
{
	enum MHD_Result queued = MHD_NO;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control", "no-store");
	MHD_add_response_header(response, "Connection", "close");
	/* No page of a site may have it, not as a picture or a script either. */
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		MHD_add_response_header(response, "Retry-After", "10");
	queued = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return queued;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned int status,
			   const char *text)
{
	char *line = format_text("%s\n", text);
	enum MHD_Result sent = respond(connection, status, "text/plain; charset=utf-8",
				    MHD_create_response_from_buffer(strlen(line), line,
								    MHD_RESPMEM_MUST_COPY));

	free(line);
	return sent;
}

/* By the words of profil -p. */
static unsigned int status_of(const char *message)
{
	static const struct {
		const char	*words;
		unsigned int	status;
	} table[] = {
		{ "there is no process", MHD_HTTP_NOT_FOUND },
		{ " has ended", MHD_HTTP_NOT_FOUND },
		{ " is a thread of ", MHD_HTTP_NOT_FOUND },
		{ " is already profiled", MHD_HTTP_CONFLICT },
		{ " is traced by ", MHD_HTTP_CONFLICT },
		{ "not permitted to attach", MHD_HTTP_FORBIDDEN },
		{ " belongs to another user", MHD_HTTP_FORBIDDEN },
		{ " has more rights than you", MHD_HTTP_FORBIDDEN },
		{ ": try again", MHD_HTTP_SERVICE_UNAVAILABLE },
	};
	size_t i;

	for (i = 0; i < length_of(table); i++)
		if (strstr(message, table[i].words))
			return table[i].status;
	return MHD_HTTP_INTERNAL_SERVER_ERROR;
}

static enum MHD_Result send_profile(struct client *client)
{
	struct stat status;
	struct MHD_Response *response;

	if (fstat(client->job.output, &status) < 0)
		return MHD_NO;
	response = MHD_create_response_from_fd((size_t)status.st_size, client->job.output);
	if (!response)
		return MHD_NO;
	client->job.output = -1;
	MHD_add_response_header(response, "Content-Disposition",
				"attachment; filename=\"profile\"");
	return respond(client->connection, MHD_HTTP_OK, "application/octet-stream", response);
}

static enum MHD_Result send_end(struct client *client)
{
	enum MHD_Result sent;
	char *message;

	if (client->made)
		return send_profile(client);
	if (client->stopped)
		return say(client->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "the profile was ended");
	message = job_message(&client->job);
	sent = say(client->connection, status_of(message), message);
	free(message);
	return sent;
}

/* --- Who may ask ---------------------------------------------------------------------- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* A site whose name leads here would have its own name there. */
static bool is_own_host(const char *host)
{
	size_t length;

	if (!options->local)
		return true;
	length = host ? strcspn(host, ":") : 0;
	return (length == strlen("localhost") && !strncasecmp(host, "localhost", length)) ||
	       (length && length == strlen(options->host) &&
		!memcmp(host, options->host, length));
}

/* A browser marks the requests that a page makes. Scrapers send none of these headers. */
static bool is_from_page(struct MHD_Connection *connection)
{
	const char *site = header(connection, "Sec-Fetch-Site");

	return header(connection, "Origin") ||
	       (site && strcmp(site, "none") && strcmp(site, "same-origin"));
}

/* Its time does not tell how much of the token is right. */
static bool has_token(struct MHD_Connection *connection)
{
	const char *given = header(connection, "Authorization");
	char one[SERVER_TOKEN_MOST + 1] = "", other[SERVER_TOKEN_MOST + 1] = "";
	unsigned int difference = 0;
	size_t i;

	if (!options->token)
		return true;
	if (!given || strncasecmp(given, "Bearer ", 7))
		return false;
	given += 7 + strspn(given + 7, " ");
	strncpy(one, given, SERVER_TOKEN_MOST);
	strncpy(other, options->token, SERVER_TOKEN_MOST);
	for (i = 0; i < SERVER_TOKEN_MOST; i++)
		difference |= (unsigned int)(one[i] ^ other[i]);
	return !difference && strlen(given) <= SERVER_TOKEN_MOST;
}

/* Without a token, others on this machine are not heard. */
static enum MHD_Result admit(void *context, const struct sockaddr *address, socklen_t size)
{
	static bool told;
	uid_t user = (uid_t)-1;
	bool known;

	(void)context, (void)size;
	if (options->token)
		return MHD_YES;
	known = peer_user((const void *)address, &options->address.v4, &user);
	if (known && (user == geteuid() || user == 0))
		return MHD_YES;
	if (known && !told)
		warn("refused a connection of user %u: use --token-file to let other users in",
		     user);
	told |= known;
	return MHD_NO;
}

/* --- Requests ------------------------------------------------------------------------- */

/* The number in the query, @standard without one; 0 if it is none from 1 to @most. */
static unsigned int number(struct MHD_Connection *connection, const char *name,
			   unsigned int standard, unsigned int most)
{
	const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND,
						       name);
	unsigned long value;

	if (!text)
		return standard;
	value = strspn(text, "0123456789") == strlen(text) && strlen(text) < 11 ?
		strtoul(text, NULL, 10) : 0;
	return value <= most ? (unsigned int)value : 0;
}

static enum MHD_Result start_job(struct client *client, pid_t pid, unsigned int seconds)
{
	if (!job_start(&client->job, &options->job, pid, seconds))
		return say(client->connection, MHD_HTTP_SERVICE_UNAVAILABLE, strerror(errno));
	njobs++;
	client->until = INT64_MAX;
	MHD_suspend_connection(client->connection);
	return MHD_YES;
}

static enum MHD_Result profile(struct client *client, const char *method)
{
	struct MHD_Connection *connection = client->connection;
	unsigned int seconds = number(connection, "seconds", SECONDS_USUAL, SECONDS_MOST);
	unsigned int pid = number(connection, "pid", (unsigned int)options->pid, INT32_MAX);
	bool given = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "pid");

	if (!seconds)
		return say(connection, MHD_HTTP_BAD_REQUEST,
			   "invalid seconds: use a whole number from 1 to 300");
	if (!pid)
		return say(connection, MHD_HTTP_BAD_REQUEST, given ?
			   "invalid pid: use the number of a process" :
			   "no process given: use ?pid=NUMBER");
	if (options->pid && pid != (unsigned int)options->pid)
		return say(connection, MHD_HTTP_FORBIDDEN,
			   "this server is for another process: leave out pid");
	if (!strcmp(method, "HEAD"))
		return say(connection, MHD_HTTP_OK, "");
	if (stopping)
		return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "the server ends");
	if (njobs == JOBS_MOST)
		return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "4 profiles are being made: try again later");
	return start_job(client, (pid_t)pid, seconds);
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection,
			      const char *path, const char *method, const char *version,
			      const char *data, size_t *size, void **request)
{
	struct client *client =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;

	(void)context, (void)version, (void)data, (void)size;
	/* The second call for a request, when its profile has ended. */
	if (*request)
		return send_end(client);
	*request = client;
	client->until = clock_ms() + ANSWER_MS;
	if (!is_own_host(header(connection, "Host")))
		return say(connection, MHD_HTTP_FORBIDDEN,
			   "wrong Host: use localhost, or the address of this server");
	if (is_from_page(connection))
		return say(connection, MHD_HTTP_FORBIDDEN, "not for pages of other sites");
	if (!has_token(connection))
		return say(connection, MHD_HTTP_FORBIDDEN,
			   "wrong token: send Authorization: Bearer TOKEN");
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "use GET");
	if (!strcmp(path, "/debug/pprof/profile"))
		return profile(client, method);
	if (!strcmp(path, "/debug/pprof/"))
		return say(connection, MHD_HTTP_OK, "profile?seconds=30\tCPU time, for pprof");
	return say(connection, MHD_HTTP_NOT_FOUND, "not found: use /debug/pprof/profile");
}

/* --- Connections ---------------------------------------------------------------------- */

static void add(struct MHD_Connection *connection, void **socket)
{
	struct client *client = allocate(sizeof(*client));

	*client = (struct client){
		.next = clients, .connection = connection, .until = clock_ms() + REQUEST_MS,
		.socket = MHD_get_connection_info(connection,
						  MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
		.job = { .output = -1, .messages = -1 },
	};
	clients = *socket = client;
}

static void take_away(struct client *client)
{
	struct client **at = &clients;

	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	if (client->job.output >= 0)
		close(client->job.output);
	if (client->job.messages >= 0)
		close(client->job.messages);
	free(client);
}

static void note(void *context, struct MHD_Connection *connection, void **socket,
		 enum MHD_ConnectionNotificationCode code)
{
	(void)context;
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		add(connection, socket);
	else
		take_away(*socket);
}

static void finish(struct client *client)
{
	client->made = job_end(&client->job);
	client->until = clock_ms() + ANSWER_MS;
	njobs--;
	MHD_resume_connection(client->connection);
}

static void stop(struct client *client)
{
	if (!client->stopped)
		job_stop(&client->job);
	client->stopped = true;
}

static bool has(const struct pollfd *events, size_t n, int fd)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (events[i].fd == fd && events[i].revents)
			return true;
	return false;
}

void server_run(const struct pollfd *events, size_t n)
{
	int64_t now = clock_ms();
	struct client *client;

	for (client = clients; client; client = client->next) {
		if (client->job.pid > 0 && has(events, n, client->job.pidfd))
			finish(client);
		else if (client->job.pid > 0 && has(events, n, client->socket))
			stop(client);
		else if (client->until < now)
			shutdown(client->socket, SHUT_RDWR);
	}
	MHD_run(daemon_);
}

size_t server_events(struct pollfd *events, int *ms)
{
	int epoll = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	unsigned long long wanted;
	struct client *client;
	size_t n = 0;

	events[n++] = (struct pollfd){ .fd = epoll, .events = POLLIN };
	for (client = clients; client; client = client->next) {
		if (client->job.pid <= 0)
			continue;
		events[n++] = (struct pollfd){ .fd = client->job.pidfd, .events = POLLIN };
		/* One that hangs up is not looked at again. */
		if (!client->stopped)
			events[n++] = (struct pollfd){ .fd = client->socket,
						       .events = POLLRDHUP };
	}
	/* Without clients, too: if all have gone at once, it listens again in the next run. */
	*ms = LOOK_MS;
	if (MHD_get_timeout(daemon_, &wanted) == MHD_YES && wanted < LOOK_MS)
		*ms = (int)wanted;
	return n;
}

void server_start(const struct server_options *how, int socket)
{
	unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;

	options = how;
	if (how->address.any.sa_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	daemon_ = MHD_start_daemon(flags, 0, admit, NULL, answer, NULL,
				   MHD_OPTION_LISTEN_SOCKET, socket,
				   MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MOST,
				   MHD_OPTION_PER_IP_CONNECTION_LIMIT,
				   how->local ? 0U : (unsigned int)CONNECTIONS_OF_ONE,
				   MHD_OPTION_NOTIFY_CONNECTION, note, NULL,
				   MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
	if (!daemon_)
		die("cannot start the server: %s", strerror(errno));
}

bool server_stop(bool now)
{
	struct client *client;

	stopping = true;
	for (client = clients; client; client = client->next)
		if (now && client->job.pid > 0)
			stop(client);
	return njobs;
}

static bool has_answers(void)
{
	const struct client *client;

	for (client = clients; client; client = client->next)
		if (client->job.messages >= 0)
			return true;
	return false;
}

/* Clients have some time to read the last profiles. */
void server_end(void)
{
	struct pollfd events[SERVER_EVENTS];
	int64_t until = clock_ms() + END_MS;
	size_t n;
	int ms;

	while (has_answers() && clock_ms() < until) {
		n = server_events(events, &ms);
		poll(events, n, ms);
		MHD_run(daemon_);
	}
	MHD_stop_daemon(daemon_);
}
