/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A FUSE server that does not answer. A thread that maps a file of that server sleeps
 * with the mmap lock of its process, and cannot be killed. Nobody else can take the lock.
 */
#ifndef SELFTESTS_FUSE_H
#define SELFTESTS_FUSE_H

#include <linux/fuse.h>
#include <sys/mount.h>

#include "setup.h"
#include "bounded.h"

#define DIRECTORY	"/tmp/selftest.fuse"
#define FUSE_FILE	DIRECTORY "/file"
#define FILE_INODE	2

struct victim {
	volatile pid_t mapper, stopper;
	volatile bool maps, goes_on, released;
	volatile uint64_t rounds;
};

struct reply {
	struct fuse_out_header header;
	union {
		struct fuse_init_out init;
		struct fuse_entry_out entry;
		struct fuse_attr_out attr;
		struct fuse_open_out open;
	} u;
};

static struct {
	int fd;
	pid_t pid;
	/* The server has got a read of the file, so the page stays locked. */
	volatile bool *reading;
} server = { .fd = -1 };

static inline struct fuse_attr attributes(uint64_t inode)
{
	return (struct fuse_attr) {
		.ino = inode, .size = PAGE, .blocks = PAGE / 512,
		.mode = inode == FILE_INODE ? S_IFREG | 0666 : S_IFDIR | 0777, .nlink = 1,
		.blksize = PAGE,
	};
}

/* The bytes of the reply to a request, after its header; -1: none is given. */
static inline int answer(const struct fuse_in_header *in, const void *arg, struct reply *reply)
{
	const struct fuse_init_in *init = arg;
	const struct fuse_open_in *open_in = arg;

	switch (in->opcode) {
	case FUSE_INIT:
		reply->u.init = (struct fuse_init_out) {
			.major = FUSE_KERNEL_VERSION,
			.minor = init->minor < FUSE_KERNEL_MINOR_VERSION ?
				 init->minor : FUSE_KERNEL_MINOR_VERSION,
			.max_write = PAGE,
		};
		return sizeof(reply->u.init);
	case FUSE_LOOKUP:
		reply->u.entry = (struct fuse_entry_out) {
			.nodeid = FILE_INODE, .entry_valid = 1000, .attr_valid = 1000,
			.attr = attributes(FILE_INODE),
		};
		return sizeof(reply->u.entry);
	case FUSE_GETATTR:
		reply->u.attr = (struct fuse_attr_out) {
			.attr_valid = 1000, .attr = attributes(in->nodeid),
		};
		return sizeof(reply->u.attr);
	case FUSE_OPEN:
		/* Who opens it for both may go past the page cache, but not yet. */
		reply->u.open.open_flags = FOPEN_KEEP_CACHE;
		if ((open_in->flags & O_ACCMODE) == O_RDWR)
			reply->u.open.open_flags |= FOPEN_DIRECT_IO;
		return sizeof(reply->u.open);
	case FUSE_READ:
		*server.reading = true;
		return -1;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return -1;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return 0;
	default:
		reply->header.error = -ENOSYS;
		return 0;
	}
}

__attribute__((noreturn)) static void serve(void)
{
	static union {
		struct fuse_in_header header;
		char bytes[FUSE_MIN_READ_BUFFER + PAGE];
	} request;

	for (;;) {
		ssize_t n = read(server.fd, &request, sizeof(request));
		struct reply reply = { .header.unique = request.header.unique };
		int bytes;

		if (n < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT)
			_exit(0);
		if (n < (ssize_t)sizeof(request.header))
			continue;
		bytes = answer(&request.header, request.bytes + sizeof(request.header), &reply);
		if (bytes < 0)
			continue;
		reply.header.len = (uint32_t)(sizeof(reply.header) + (size_t)bytes);
		if (write(server.fd, &reply, reply.header.len) < 0 && errno == ENODEV)
			_exit(0);
	}
}

static inline bool is_true(const void *arg)
{
	return *(const volatile bool *)arg;
}

/* After that, a thread that maps the file for direct I/O sleeps, with the mmap lock. */
static inline void start_server(void)
{
	char options[128];

	NEEDS_ROOT();
	server.reading = shared_memory(sizeof(*server.reading));
	server.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (server.fd < 0)
		SKIP("no FUSE");
	mkdir(DIRECTORY, 0755);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", server.fd);
	CHECK_CALL(mount("selftest", DIRECTORY, "fuse", MS_NOSUID | MS_NODEV, options));
	server.pid = FORK();
	if (server.pid == 0)
		serve();
	if (FORK() == 0) {
		char byte;
		int fd = CHECK_CALL(open(FUSE_FILE, O_RDONLY));

		close(server.fd);
		_exit(read(fd, &byte, 1) == 1);	/* Until the server is no more. */
	}
	CHECK(wait_for(is_true, (const void *)server.reading));
}

/* Every request fails, and all that waited go on. */
static inline void end_server(void)
{
	umount2(DIRECTORY, MNT_FORCE | MNT_DETACH);
	kill(server.pid, SIGKILL);
	close(server.fd);
	rmdir(DIRECTORY);
}

static inline bool mapper_sleeps(const void *arg)
{
	const struct victim *v = arg;

	return v->maps && thread_state(v->mapper) == 'D';
}

static inline void *map_file(void *arg)
{
	struct victim *me = arg;
	int fd = CHECK_CALL(open(FUSE_FILE, O_RDWR));

	me->mapper = (pid_t)syscall(SYS_gettid);
	me->maps = true;
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	return NULL;
}

static inline void take_mmap_lock(struct victim *me)
{
	start_thread(map_file, me);
	CHECK(wait_for(mapper_sleeps, me));
}

/* In a child: the server is not its own. */
static inline void leave_server(void)
{
	close(server.fd);
}

#endif /* SELFTESTS_FUSE_H */
