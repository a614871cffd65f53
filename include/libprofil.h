/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil: what the historical calls cannot say.
 *
 * The calls themselves are declared where they always were: profil() in
 * <unistd.h> and sprofil() in <sys/profil.h>, both with libc's prototypes; where
 * libc has neither, as musl, through the compiler flags of libprofil.
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
 * that no system's call has started; GLIBC_ are the default's calls; PCSAMPLE is
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
 * profil_start_stacks() - sample the process into memory of its own, with stacks.
 * @samples: which rate, and where to: the array @buf with @nsamples elements of
 *           @width 8, the stream of call stacks @stacks with @stacks_size bytes,
 *           all zeroed. <linux/profil.h> describes it. The caller sets its
 *           size; @page and what @last points to are filled in.
 *
 * Tells the kernel where code is, as profil_update_objects(), and runs
 * PROFIL_IOC_SAMPLES: the profile takes the place of any other, and is of all
 * threads, and of fork children in their own copies of the memory, which should
 * be private. The memory is the caller's again after profil_stop_stacks() or any other
 * call that starts or stops a profile. When the array is full sampling stops; when
 * the stream is, only stacks do. Not for signal handlers.
 *
 * Both can be read while they are written: profil_get_status() says how much there
 * is, in @nsamples, @stack_bytes and @stackless.
 *
 * Return: 0, or -1 with errno and the old profile running: EINVAL, a field is
 * wrong, or this machine makes no stacks (@stacks of profil_get_features() is 0);
 * EFAULT, @samples, or what it points to; EACCES, PROFIL_RATE_FAST is not granted;
 * EPERM, profiling is switched off; EDQUOT, the user has too many profiles;
 * EAGAIN, a page would have to be locked; E2BIG, as profil_get_status(); ENOMEM;
 * ENODEV, the module is not loaded; or what open(2) says of /dev/profil.
 */
int profil_start_stacks(struct profil_samples *samples);

/**
 * profil_update_objects() - tell the kernel where code is now.
 *
 * For who has called dlopen() or dlclose() since profil_start_stacks(): until then
 * stacks in what is new are followed by frame pointers, or cut short. A fork
 * child inherits what its parent has told. Any thread may call it, but no signal
 * handler, nor anybody else who may not call dl_iterate_phdr(3).
 *
 * Return: 0, or -1 with errno as profil_start_stacks(); what the kernel knew
 * before stays then.
 */
int profil_update_objects(void);

/**
 * profil_stop_stacks() - stop the process's profile, of whatever call.
 * @status: filled in, as far as its size, which the caller sets, says that it
 *          goes: what has become of the ticks.
 *
 * All that was sampled is in memory when it returns, and nothing is written there
 * any more. Without a profile it does nothing, and reports that. Async-signal-safe.
 *
 * Return: as profil_get_status().
 */
int profil_stop_stacks(struct profil_status *status);

/**
 * struct profil_stack - a record of a stream of call stacks, decoded.
 * @sample:  number of its first tick's sample; element sample - first_sample of
 *           the array that the stream belongs to.
 * @count:   ticks, at least 1; each is a sample of the array.
 * @time_ns: CLOCK_MONOTONIC at the first tick, as the process reads it, in whole
 *           microseconds.
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
