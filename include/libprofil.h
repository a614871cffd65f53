/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil: what the historical calls cannot say.
 *
 * The calls themselves are declared where they always were: profil() in
 * <unistd.h> and sprofil() in <sys/profil.h>, both with libc's prototypes.
 * Programs written for other systems find theirs through the compiler flags of
 * libprofil-solaris and its siblings; see libprofil(7).
 */
#ifndef LIBPROFIL_H
#define LIBPROFIL_H

#include <libprofil/dialects.h>
#include <linux/profil.h>
#include <linux/profil_stacks.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whose rules a profile follows: the tag of struct profil_status. NONE is a profile
 * that was not started by this library; GLIBC_ are the default's calls; PCSAMPLE is
 * pcsample() of any system; TRU64 and AIX are profil() of one buffer there, and
 * _RANGES of several; BSD_MAN is with LIBPROFIL_BSD_MAN.
 */
enum profil_dialect {
#define LIBPROFIL_SYSTEM(name, system)
#define LIBPROFIL_DIALECT(tag, number, index, at_limit, limit, on_fault, mask,	\
			  max, off, scale2, bad_buffer, fewest, most)		\
	PROFIL_DIALECT_ ## tag = number,
#define LIBPROFIL_TAG(tag, number)						\
	PROFIL_DIALECT_ ## tag = number,
	LIBPROFIL_DIALECTS(LIBPROFIL_SYSTEM, LIBPROFIL_DIALECT, LIBPROFIL_TAG)
#undef LIBPROFIL_SYSTEM
#undef LIBPROFIL_DIALECT
#undef LIBPROFIL_TAG
	PROFIL_DIALECT_NONE = 0
};

/**
 * profil_get_status() - read the live statistics of the caller's profile.
 * @status: filled in, as far as its size, which the caller sets, says that it
 *          goes; its fields are described in <linux/profil.h>.
 *
 * Reports the profile of the calling process, or the last one after it
 * stopped, and changes nothing. Async-signal-safe.
 *
 * Return: 0, or -1 with errno: EFAULT, @status cannot be written; EINVAL or
 * E2BIG, its size is not that of any such structure; ENODEV, the module is not
 * loaded; or what open(2) says of /dev/profil.
 */
int profil_get_status(struct profil_status *status);

/**
 * profil_get_features() - ask what the kernel module can do.
 * @features: filled in, as far as its size, which the caller sets, says that it
 *            goes; its fields are described in <linux/profil.h>.
 *
 * The period of each rate, the rates that would be granted now, the most
 * regions in one call. Async-signal-safe.
 *
 * Return: as profil_get_status().
 */
int profil_get_features(struct profil_features *features);

/**
 * struct profil_stack - a record of a stream of call stacks, decoded.
 * @sample:  number of its first tick's sample; element sample - first_sample of
 *           the array that the stream belongs to.
 * @count:   ticks, at least 1; each is a sample of the array.
 * @time_ns: CLOCK_MONOTONIC at the first tick, in whole microseconds.
 * @span_ns: from there to the last.
 * @thread:  as gettid() returns it in the thread.
 * @cpu:     of the first tick.
 * @flags:   PROFIL_STACK_RESET, KERNEL, SYSCALL, GUESSED, MOVED, NAME.
 * @syscall: with PROFIL_STACK_SYSCALL: the system call's number.
 * @end:     enum profil_stack_end: why the stack is not complete; 0: it is.
 * @nframes: number of frames, at least 1.
 * @frame:   their pcs, from the innermost to the outermost.
 * @name:    with PROFIL_STACK_NAME: the thread's name, zero-terminated.
 *
 * With PROFIL_STACK_NAME, only @flags, @thread and @name are set. @frame and @name
 * are good until the next call with the same reader.
 */
struct profil_stack {
	uint64_t	sample;
	uint64_t	count;
	uint64_t	time_ns;
	uint64_t	span_ns;
	uint32_t	thread;
	uint32_t	cpu;
	uint32_t	flags;
	uint32_t	syscall;
	uint32_t	end;
	uint32_t	nframes;
	const uint64_t	*frame;
	const char	*name;
};

/* Reads a stream of call stacks. */
struct profil_stacks;

/**
 * profil_stacks_open() - begin to read a stream of call stacks.
 * @stream: its first byte; <linux/profil_stacks.h> describes it. It stays the
 *          caller's, and in place until profil_stacks_close(). It may be written
 *          by the kernel meanwhile.
 * @bytes:  its length, or of the memory that it is in.
 *
 * What is in it is not trusted. The reader allocates memory, and is nothing for a
 * signal handler; it is for one thread at a time.
 *
 * Return: the reader, or NULL with errno ENOMEM.
 */
struct profil_stacks *profil_stacks_open(const void *stream, size_t bytes);

/**
 * profil_stacks_next() - the next record.
 * @stacks: a reader
 * @stack:  out: the record
 *
 * Return: 1; 0, the stream ends here, at a 0 byte or at its last (what is written
 * there later is found by another call); -1 with errno EBADMSG, it is damaged
 * from here on, or ENOMEM: then there is nothing more to be read.
 */
int profil_stacks_next(struct profil_stacks *stacks, struct profil_stack *stack);

/* Bytes that have been decoded. */
size_t profil_stacks_offset(const struct profil_stacks *stacks);

/* The end of the reader; NULL is none. */
void profil_stacks_close(struct profil_stacks *stacks);

/*
 * pcsample(2), for programs that are not otherwise Solaris's: stores the pc of
 * each clock tick in an array, until it is full.
 */
long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif
