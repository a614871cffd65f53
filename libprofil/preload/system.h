/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls of each start, end and fork, by syscall(2): the dynamic linker looks up that
 * one function of libc, and not a dozen, each of which takes 700 instructions. Nor are they
 * cancellation points. Where off_t has 32 bits, libc's functions know the arguments.
 */
#ifndef PRELOAD_SYSTEM_H
#define PRELOAD_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __LP64__
#define SYSTEM_CALL(function, name, ...)	syscall(SYS_##name, __VA_ARGS__)
#else
#define SYSTEM_CALL(function, name, ...)	(function)
#endif

static inline int system_open(const char *path, int flags, unsigned int mode)
{
	return (int)SYSTEM_CALL(open(path, flags, mode), openat, AT_FDCWD, path, flags, mode);
}

static inline void system_close(int fd)
{
	syscall(SYS_close, fd);
}

static inline pid_t system_getpid(void)
{
	return (pid_t)syscall(SYS_getpid);
}

/* Without what a signal, even none, takes. */
static inline bool system_has_process(pid_t pid)
{
	return syscall(SYS_getpgid, pid) >= 0 || errno != ESRCH;
}

static inline int system_uname(struct utsname *name)
{
	return (int)syscall(SYS_uname, name);
}

static inline ssize_t system_readlink(const char *path, char *buffer, size_t size)
{
	return syscall(SYS_readlinkat, AT_FDCWD, path, buffer, size);
}

static inline int system_getrlimit(int resource, struct rlimit *limit)
{
	return (int)SYSTEM_CALL(getrlimit(resource, limit), prlimit64, 0, resource, NULL, limit);
}

static inline int system_lock(int fd, struct flock *lock)
{
	return (int)SYSTEM_CALL(fcntl(fd, F_OFD_SETLK, lock), fcntl, fd, F_OFD_SETLK, lock);
}

static inline int system_ftruncate(int fd, off_t size)
{
	return (int)SYSTEM_CALL(ftruncate(fd, size), ftruncate, fd, size);
}

static inline off_t system_lseek(int fd, off_t offset, int whence)
{
	return SYSTEM_CALL(lseek(fd, offset, whence), lseek, fd, offset, whence);
}

/* libc's reads an empty path: the kernel clears a page for it. */
static inline int system_fstat(int fd, struct stat *status)
{
	return (int)SYSTEM_CALL(fstat(fd, status), fstat, fd, status);
}

/* Bytes from the beginning of the file on. 0 or an errno. */
static inline int system_allocate(int fd, off_t bytes)
{
#ifdef __LP64__
	if (syscall(SYS_fallocate, fd, 0, 0L, bytes) == 0)
		return 0;
	if (errno != EOPNOTSUPP)
		return errno;
	/* libc's knows another way. */
#endif
	return posix_fallocate(fd, 0, bytes);
}

static inline void *system_map_file(void *place, size_t bytes, int fd)
{
	return (void *)SYSTEM_CALL(mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
				   mmap, place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
}

static inline int system_madvise(void *start, size_t bytes, int advice)
{
	return (int)syscall(SYS_madvise, start, bytes, advice);
}

#endif
