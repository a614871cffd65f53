// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * In our own network namespace the socket has an abstract name. Elsewhere it has a name
 * in a directory that profil reaches through /proc/PID/root, for a moment.
 */
#include "attach/handover.h"
#include "common/memory.h"
#include "common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* What is where in the room. */
struct room {
	struct sockaddr_un	address;
	struct msghdr		message;
	struct iovec		vector;
	char			byte;
	union {
		struct cmsghdr	header;
		char		bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
};

_Static_assert(sizeof(struct room) <= HANDOVER_BYTES, "room");

struct listener {
	int			socket;
	int			directory;	/* to remove it from; -1: an abstract name */
	const char		*name;		/* there, in the address */
	struct sockaddr_un	address;	/* as the process calls it */
	socklen_t		size;
};

static uint64_t random_number(void)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) < 0)
		return (uint64_t)getpid();
	return number;
}

static bool same_network(const struct target *target)
{
	char ours[64] = "", theirs[64] = "";

	return readlink("/proc/self/ns/net", ours, sizeof(ours) - 1) > 0 &&
	       readlinkat(target->proc, "ns/net", theirs, sizeof(theirs) - 1) > 0 &&
	       !strcmp(ours, theirs);
}

static bool bind_to(int fd, const struct sockaddr_un *address, socklen_t size)
{
	return bind(fd, (const struct sockaddr *)address, size) == 0 && listen(fd, 8) == 0;
}

static bool bind_abstract(struct listener *listener)
{
	char *name = listener->address.sun_path + 1;
	int length = snprintf(name, sizeof(listener->address.sun_path) - 1,
			      "profil-%d-%016llx", (int)getpid(),
			      (unsigned long long)random_number());

	listener->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				     (size_t)length);
	return bind_to(listener->socket, &listener->address, listener->size);
}

/*
 * The process may own that directory, and what leads to it: links lead nowhere outside its
 * root, and nothing is done to a name but to make and to remove it.
 */
static int open_inside(const struct target *target, const char *directory)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT,
	};
	int root = openat(target->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;

	if (root >= 0) {
		fd = (int)syscall(SYS_openat2, root, *directory ? directory : "/", &how,
				  sizeof(how));
		close(root);
	}
	return fd;
}

static bool bind_in(struct listener *listener, const struct target *target,
		    const char *directory)
{
	struct sockaddr_un own = { .sun_family = AF_UNIX };
	int fd = open_inside(target, directory);
	mode_t before;
	bool bound;

	if (fd < 0)
		return false;
	snprintf(listener->address.sun_path, sizeof(listener->address.sun_path),
		 "%s/.profil-%d-%08x", directory, (int)getpid(),
		 (unsigned int)random_number());
	listener->size = sizeof(listener->address);
	listener->name = listener->address.sun_path + strlen(directory) + 1;
	snprintf(own.sun_path, sizeof(own.sun_path), "/proc/self/fd/%d/%s", fd,
		 listener->name);
	/* For any user: who connects is checked. */
	before = umask(0);
	bound = bind_to(listener->socket, &own, sizeof(own));
	umask(before);
	listener->directory = fd;
	if (!bound) {
		close(fd);
		listener->directory = -1;
	}
	return bound;
}

static bool listen_for(struct listener *listener, const struct target *target)
{
	static const char *const directories[] = {
		"/tmp", "/dev/shm", "/run", "/var/tmp", "",
	};
	size_t i;

	*listener = (struct listener){
		.socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
		.directory = -1,
		.address = { .sun_family = AF_UNIX },
	};
	if (listener->socket < 0)
		return false;
	if (same_network(target) && bind_abstract(listener))
		return true;
	for (i = 0; i < length_of(directories) && !same_network(target); i++)
		if (bind_in(listener, target, directories[i]))
			return true;
	close(listener->socket);
	return false;
}

static void unlisten(const struct listener *listener)
{
	close(listener->socket);
	if (listener->directory >= 0) {
		unlinkat(listener->directory, listener->name, 0);
		close(listener->directory);
	}
}

static bool is_from(int connection, const struct target *target)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       peer.pid == target->pid;
}

/* The connection of the process; -1 if there is none. Others may know the name, too. */
static int accept_from(const struct listener *listener, const struct target *target)
{
	int connection;

	while ((connection = accept4(listener->socket, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		if (is_from(connection, target))
			return connection;
		close(connection);
	}
	return -1;
}

static void fill_control(struct cmsghdr *header, const int descriptors[2])
{
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(header), descriptors, 2 * sizeof(int));
}

static bool send_to(int connection, const struct handover *own)
{
	const int descriptors[] = { own->file, own->device };
	struct room room = { .byte = 0 };
	struct iovec vector = { &room.byte, 1 };
	struct msghdr message = {
		.msg_iov = &vector, .msg_iovlen = 1, .msg_control = &room.control,
		.msg_controllen = sizeof(room.control.bytes),
	};

	fill_control(&room.control.header, descriptors);
	return sendmsg(connection, &message, MSG_NOSIGNAL) == 1;
}

static void *at(unsigned long room, size_t offset)
{
	return (void *)(room + offset);
}

/* This and the next two return 0 or an errno. */
static int receive(struct remote *remote, int fd, unsigned long room,
		   struct handover *given)
{
	struct room answer;
	int descriptors[2];
	long n = remote_call(remote, SYS_recvmsg, (unsigned long)fd,
			     room + offsetof(struct room, message), MSG_CMSG_CLOEXEC);

	if (n < 0)
		return (int)-n;
	if (n != 1 || !remote_read(remote, room, &answer, sizeof(answer)))
		return ECONNRESET;
	/* Its limit has no room for both. */
	if (answer.message.msg_flags & MSG_CTRUNC ||
	    answer.control.header.cmsg_len != CMSG_LEN(sizeof(descriptors)))
		return EMFILE;
	memcpy(descriptors, CMSG_DATA(&answer.control.header), sizeof(descriptors));
	*given = (struct handover){ descriptors[0], descriptors[1] };
	return 0;
}

static int connect_to(struct remote *remote, const struct listener *listener,
		      unsigned long room, int *fd)
{
	struct room contents = {
		.address = listener->address,
		.message = {
			.msg_iov = at(room, offsetof(struct room, vector)),
			.msg_iovlen = 1,
			.msg_control = at(room, offsetof(struct room, control)),
			.msg_controllen = sizeof(contents.control.bytes),
		},
		.vector = { at(room, offsetof(struct room, byte)), 1 },
	};

	*fd = (int)remote_call(remote, SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return -*fd;
	if (!remote_write(remote, room, &contents, sizeof(contents)))
		return EFAULT;
	return (int)-remote_call(remote, SYS_connect, (unsigned long)*fd,
				 room + offsetof(struct room, address), listener->size);
}

static int give(struct remote *remote, const struct listener *listener,
		const struct handover *own, unsigned long room, struct handover *given)
{
	int fd, connection, error = connect_to(remote, listener, room, &fd);

	if (error)
		return error;
	connection = accept_from(listener, remote->target);
	if (connection < 0)
		return errno;
	if (!send_to(connection, own))
		error = errno;
	/* It does not wait for more than is there. */
	close(connection);
	return error ? error : receive(remote, fd, room, given);
}

bool handover_make(struct remote *remote, const struct handover *own,
		   unsigned long room, struct handover *given)
{
	struct listener listener;
	int error;

	if (!listen_for(&listener, remote->target)) {
		if (!target_has_memory(remote->target) && !target_is_headless(remote->target)) {
			warn("process %d has ended", remote->target->pid);
			return false;
		}
		warn("cannot give process %d its file and /dev/profil: %s", remote->target->pid,
		     same_network(remote->target) ? "no socket can be made" :
		     "it is in another network namespace, and none of its /tmp, /dev/shm, /run, /var/tmp and / is writable");
		return false;
	}
	error = give(remote, &listener, own, room, given);
	unlisten(&listener);
	if (error)
		warn("cannot give process %d its file and /dev/profil over a socket: %s",
		     remote->target->pid, strerror(error));
	return !error;
}
