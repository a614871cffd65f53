// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil-serve: gives profiles of a process to programs that ask for them by HTTP, as Go
 * programs do. profil(1) runs it as "profil serve", and it runs profil for each profile.
 * It is a program of its own because of the libraries that it loads.
 */
#include "common/end_signals.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/output.h"
#include "common/usage.h"
#include "serve/server.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADDRESS_USUAL	"127.0.0.1:6061"
#define TOKEN_LEAST	16

enum { LISTEN = 256, TOKEN_FILE, FOLLOW };

static const struct option long_options[] = {
	{ "pid",	required_argument, NULL, 'p' },
	{ "rate",	required_argument, NULL, 'r' },
	{ "follow",	no_argument,	   NULL, FOLLOW },
	{ "listen",	required_argument, NULL, LISTEN },
	{ "token-file",	required_argument, NULL, TOKEN_FILE },
	{ "help",	no_argument,	   NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const char usage_text[] =
"usage: profil serve [OPTION...] [COMMAND [ARGUMENT...] | -p PID]\n"
"\n"
"Answer requests for http://ADDRESS:PORT/debug/pprof/profile?seconds=N: profile COMMAND,\n"
"or a process that runs already, for go tool pprof, Parca and Pyroscope. Without a\n"
"process here, the request names it: &pid=PID. This ends at ^C, or when the process\n"
"ends.\n"
"\n"
"  -p, --pid=PID         profile process PID\n"
"      --follow          profile the processes that it starts, too\n"
"  -r, --rate=RATE       as for profil: fast (default), tick or clock\n"
"      --listen=ADDRESS:PORT\n"
"                        listen there (default: " ADDRESS_USUAL ")\n"
"      --token-file=FILE answer only those who send the token in FILE; without it, only\n"
"                        this user and root, on this machine\n"
"  -h, --help            print this help\n";

static const struct usage usage = { "profil serve", EXIT_BROKEN };

/* --- Options -------------------------------------------------------------------------- */

static const char *rate(const char *name)
{
	if (!strcmp(name, "fast") || !strcmp(name, "tick") || !strcmp(name, "clock"))
		return name;
	warn("invalid rate '%s': use fast, tick or clock", name);
	usage_fail(&usage);
}

/* The only line of the file. Its group may read it; others may not. */
static const char *read_token(const char *path)
{
	static char token[SERVER_TOKEN_MOST + 2];
	FILE *file = fopen(path, "re");
	struct stat status;
	size_t length, i;
	bool more;

	if (!file || fstat(fileno(file), &status) < 0)
		die("cannot open %s: %s", path, strerror(errno));
	if (status.st_mode & 0007)
		die("%s: other users have rights to the token: use chmod o= %s", path, path);
	if (!fgets(token, sizeof(token), file))
		token[0] = '\0';
	more = fgetc(file) != EOF;
	fclose(file);
	length = strcspn(token, "\n");
	token[length] = '\0';
	for (i = 0; i < length && isgraph((unsigned char)token[i]); i++)
		;
	if (more || i < length || length < TOKEN_LEAST || length > SERVER_TOKEN_MOST)
		die("%s: the token must be one line of %d to %d characters without blanks",
		    path, TOKEN_LEAST, SERVER_TOKEN_MOST);
	return token;
}

/* getaddrinfo() takes larger numbers, too, and cuts them. */
static bool is_port(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) <= 5 &&
	       strtoul(text, NULL, 10) <= UINT16_MAX;
}

static void find_address(struct server_options *options, const char *text)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM,
	};
	const char *colon = strrchr(text, ':');
	struct addrinfo *found;
	char *host;

	if (!colon)
		colon = text;
	host = text[0] == '[' && colon > text && colon[-1] == ']' ?
	       format_text("%.*s", (int)(colon - text) - 2, text + 1) :
	       format_text("%.*s", (int)(colon - text), text);
	if (!*host || !is_port(colon + 1) || getaddrinfo(host, colon + 1, &hints, &found)) {
		warn("invalid address '%s': use for example " ADDRESS_USUAL, text);
		usage_fail(&usage);
	}
	memcpy(&options->address, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	snprintf(options->host, sizeof(options->host), "%s", host);
	free(host);
	options->local = options->address.any.sa_family == AF_INET &&
			 ntohl(options->address.v4.sin_addr.s_addr) >> 24 == 127;
}

static void take_option(struct server_options *options, int option)
{
	switch (option) {
	case 'p':
		options->pid = usage_process(&usage, optarg);
		break;
	case 'r':
		options->job.rate = rate(optarg);
		break;
	case FOLLOW:
		options->job.follow = true;
		break;
	case LISTEN:
		find_address(options, optarg);
		break;
	case TOKEN_FILE:
		options->token = read_token(optarg);
		break;
	case 'h':
		fputs(usage_text, stdout);
		exit(output_close(stdout) ? 0 : EXIT_BROKEN);
	default:
		usage_fail(&usage);
	}
}

static void parse(struct server_options *options, int argc, char **argv)
{
	static char name[] = "profil serve";
	int option;

	argv[0] = name;
	while ((option = getopt_long(argc, argv, "+p:r:h", long_options, NULL)) != -1)
		take_option(options, option);
	if (options->pid && argv[optind])
		warn("both -p and a command given: '%s'", argv[optind]);
	else if (!options->local && !options->token)
		warn("%s does not begin with 127: use --token-file", options->host);
	else
		return;
	usage_fail(&usage);
}

/* --- The process ---------------------------------------------------------------------- */

/* By the rules of Yama, what this process starts may then trace the command. */
static pid_t start_command(char **arguments, const sigset_t *mask)
{
	pid_t pid = fork();

	if (pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PTRACER, getppid());
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(arguments[0], arguments);
	warn("cannot run %s: %s", arguments[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static int watch_process(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		die(errno == ESRCH ? "there is no process %d" :
		    errno == EINVAL ? "%d is not a process" : "pidfd_open: process %d: %m", pid);
	return fd;
}

/* Of the command, or how a shell would say it. */
static int exit_status(pid_t command)
{
	int status = 0;

	if (!command || waitpid(command, &status, 0) < 0)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --- The server ----------------------------------------------------------------------- */

static int listen_there(struct server_options *options)
{
	socklen_t size = sizeof(options->address);
	int one = 1, fd = socket(options->address.any.sa_family,
				 SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0 ||
	    bind(fd, &options->address.any, size) < 0 || listen(fd, 128) < 0 ||
	    getsockname(fd, &options->address.any, &size) < 0)
		die("cannot listen at %s: %s", options->host, strerror(errno));
	return fd;
}

/* Signals from processes are passed on; the terminal has sent its own to the command. */
static bool ends_by(int signals, pid_t command)
{
	struct signalfd_siginfo signal;
	bool ends = false;

	while (read(signals, &signal, sizeof(signal)) == sizeof(signal)) {
		if (command && signal.ssi_code <= 0)
			kill(command, (int)signal.ssi_signo);
		ends |= !command;
	}
	return ends;
}

static int open_signals(sigset_t *before)
{
	sigset_t signals;

	end_signals(&signals);
	/* One of a client that has gone. */
	sigaddset(&signals, SIGPIPE);
	sigprocmask(SIG_BLOCK, &signals, before);
	sigdelset(&signals, SIGPIPE);
	signal(SIGCHLD, SIG_DFL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void serve(int signals, int process, pid_t command)
{
	struct pollfd events[SERVER_EVENTS + 2];
	bool ends = false, ended = false;
	size_t n;
	int ms;

	do {
		n = server_events(events, &ms);
		events[n] = (struct pollfd){ .fd = signals, .events = POLLIN };
		/* When it has ended, that can be read for ever. */
		events[n + 1] = (struct pollfd){ .fd = ended ? -1 : process, .events = POLLIN };
		poll(events, n + 2, ms);
		ends |= ends_by(signals, command);
		ended |= events[n + 1].revents;
		server_run(events, n);
	} while (!(ends || ended) || server_stop(ends));
	server_end();
}

int main(int argc, char **argv)
{
	struct server_options options = { .job = { .profil = argv[0], .rate = "fast" } };
	int fd, signals, process = -1;
	pid_t command = 0;

	find_address(&options, ADDRESS_USUAL);
	parse(&options, argc - 1, argv + 1);
	/* Jobs replace these descriptors. */
	output_begin();
	signals = open_signals(&options.job.mask);
	fd = listen_there(&options);
	if (argv[optind + 1])
		options.pid = command = start_command(argv + optind + 1, &options.job.mask);
	if (options.pid)
		process = watch_process(options.pid);
	server_start(&options, fd);
	fprintf(stderr, options.address.any.sa_family == AF_INET6 ?
		"Serving http://[%s]:%d/debug/pprof/profile%s\n" :
		"Serving http://%s:%d/debug/pprof/profile%s\n", options.host,
		ntohs(options.address.v4.sin_port), options.pid ? "" : "?pid=PID");
	serve(signals, process, command);
	return exit_status(command);
}
