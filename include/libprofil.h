/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libprofil: calls beside the historical ones.
 *
 * <unistd.h> declares profil() and <sys/profil.h> declares sprofil(), both with
 * libc's prototypes. musl declares neither: compile with the flags of the
 * pkg-config package libprofil. Programs written for other systems use the flags
 * of libprofil-solaris and its siblings; see libprofil(7).
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
 * The system whose rules a profile follows: the tag of struct profil_status.
 * NONE: no historical call started the profile. GLIBC_PROFIL and GLIBC_SPROFIL:
 * the default calls. PCSAMPLE: pcsample() of any system. TRU64 and AIX: profil()
 * with one buffer; _RANGES: with several. BSD_MAN: with LIBPROFIL_BSD_MAN.
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
 * @status: out: the statistics; <linux/profil.h> describes the fields. The caller
 *          sets its size. No byte beyond that size is written.
 *
 * Reports the profile of the calling process, or, after that stopped, the last
 * one. Changes nothing. Async-signal-safe.
 *
 * Return: 0, or -1 with errno: EFAULT, @status cannot be written; EINVAL or
 * E2BIG, no version of the structure has this size; ENODEV, the module is not
 * loaded; or an error of open(2) for /dev/profil.
 */
int profil_get_status(struct profil_status *status);

/**
 * profil_get_features() - ask what the kernel module can do.
 * @features: out: the period of each rate, the rates that are granted now, the
 *            maximum number of regions; <linux/profil.h> describes the fields.
 *            The caller sets its size. No byte beyond that size is written.
 *
 * Async-signal-safe.
 *
 * Return: as profil_get_status().
 */
int profil_get_features(struct profil_features *features);

/**
 * profil_start_stacks() - sample the process into its own memory, with stacks.
 * @samples: the rate; the sample array @buf of @nsamples elements of @width 8, or
 *           4; the stack stream @stacks of @stacks_size bytes. Array and stream are
 *           zeroed. <linux/profil.h> describes the fields. The caller sets the
 *           size; the kernel fills in @page and the status that @last points to.
 *
 * Tells the kernel where code is, as profil_update_objects() does, and runs
 * PROFIL_IOC_SAMPLES. The new profile replaces any other. It covers all threads.
 * Fork children are sampled into their own copies of the memory, so the memory
 * should be private. It belongs to the caller again after profil_stop_stacks() or
 * any other call that starts or stops a profile. A full array stops sampling; a
 * full stream stops only the stacks. Do not call this in a signal handler.
 *
 * Array and stream can be read while the kernel writes them: profil_get_status()
 * reports their contents in @nsamples, @stack_bytes and @stackless.
 *
 * Return: 0, or -1 with errno, and the old profile keeps running: EINVAL, a field
 * is wrong, or this machine makes no stacks; EOPNOTSUPP, stacks are switched off;
 * EFAULT, @samples or memory that it names is invalid; EACCES, PROFIL_RATE_FAST
 * is not granted; EPERM, profiling is switched off; EDQUOT, the user has too many
 * profiles; EAGAIN, the status page must be locked and RLIMIT_MEMLOCK is reached;
 * E2BIG, as profil_get_status(); ENOMEM; ENODEV, the module is not loaded; or an
 * error of open(2) for /dev/profil. Without stacks, @stacks of
 * profil_get_features() is 0.
 */
int profil_start_stacks(struct profil_samples *samples);

/**
 * profil_update_objects() - tell the kernel where code is now.
 *
 * Call this after dlopen() or dlclose() while a profile with stacks runs. Before
 * this call, stacks in new code follow frame pointers or are cut short. A fork child
 * inherits its parent's table. Any thread may call this, but only where it may
 * call dl_iterate_phdr(3): not in a signal handler.
 *
 * Return: 0, or -1 with errno as profil_start_stacks(), and the kernel keeps the
 * old table.
 */
int profil_update_objects(void);

/**
 * profil_stop_stacks() - stop the process's profile, whichever call started it.
 * @status: out: the final statistics. The caller sets its size. No byte beyond
 *          that size is written.
 *
 * When it returns, all samples are in memory and the kernel writes no more.
 * Without a profile it stops nothing and reports that. Async-signal-safe.
 *
 * Return: as profil_get_status().
 */
int profil_stop_stacks(struct profil_status *status);

/**
 * struct profil_stack - a record of a stream of call stacks, decoded.
 * @sample:  number of the first tick's sample: element sample - first_sample of
 *           the array that the stream belongs to. With PROFIL_STACK_WAIT: the number that
 *           the next tick was expected to have.
 * @count:   number of ticks, at least 1; each is a sample of the array. With
 *           PROFIL_STACK_WAIT: number of samples of waits, which are in no array; read
 *           "sample" for "tick" below.
 * @time_ns: CLOCK_MONOTONIC at the first tick, as the process reads it, in whole
 *           microseconds.
 * @span_ns: time from the first tick to the last, in nanoseconds.
 * @thread:  the thread's gettid().
 * @cpu:     CPU of the first tick.
 * @flags:   PROFIL_STACK_RESET, KERNEL, SYSCALL, GUESSED, MOVED, NAME, WAIT, RUNNABLE.
 * @syscall: with PROFIL_STACK_SYSCALL: the system call's number.
 * @end:     enum profil_stack_end: why the stack is incomplete; 0: it is complete.
 * @nframes: number of frames, at least 1.
 * @frame:   the frames' PCs, from the innermost to the outermost.
 * @name:    with PROFIL_STACK_NAME: the thread's name, zero-terminated.
 *
 * With PROFIL_STACK_NAME, only @flags, @thread and @name are set. @frame and @name
 * are valid until the next call with the same reader.
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
 * @stream: the first byte; <linux/profil_stacks.h> describes the format. The
 *          caller keeps the memory, in place, until profil_stacks_close(). The
 *          kernel may write to it meanwhile.
 * @bytes:  length of the stream, or of the memory that holds it.
 *
 * The reader does not trust the stream. It allocates memory, so do not use it in
 * a signal handler. One thread at a time may use a reader.
 *
 * Return: the reader, or NULL with errno ENOMEM.
 */
struct profil_stacks *profil_stacks_open(const void *stream, size_t bytes);

/**
 * profil_stacks_next() - read the next record.
 * @stacks: a reader
 * @stack:  out: the record
 *
 * Return: 1, @stack is filled in; 0, the stream ends here, at a 0 byte or after
 * @bytes; -1 with errno EBADMSG (the rest of the stream is damaged) or ENOMEM. After
 * 0, a later call finds records written since. After -1, all later calls fail.
 */
int profil_stacks_next(struct profil_stacks *stacks, struct profil_stack *stack);

/* How many bytes of the stream have been decoded. */
size_t profil_stacks_offset(const struct profil_stacks *stacks);

/* Frees the reader; NULL is allowed. */
void profil_stacks_close(struct profil_stacks *stacks);

/**
 * profil_phase() - say what the program begins to do: a phase of its run.
 * @name: the phase's name, of which 255 bytes are kept; NULL or "": none, until the
 *        next call.
 *
 * A phase lasts until the next call, for all threads of the process, and goes on in
 * fork children. Under profil(1), reports select phases by name (--phase), sum up the
 * samples of each (--by=phase), and show when each began. Several phases may have one
 * name. Without profil(1), and in a process that profil -p has attached to, the call
 * does nothing.
 *
 * A call takes some hundred instructions and up to 280 bytes of the file's log, which
 * has 768 KiB for phases; profil report says when it was full. Do not call this in a signal
 * handler. Leaves errno as it was.
 *
 * A program need not be linked with the library. It may declare the function weak, and
 * call it if its address is not NULL; this works in position-independent code, as
 * compilers make it by default:
 *
 *	extern void profil_phase(const char *name) __attribute__((weak));
 */
void profil_phase(const char *name);

/*
 * pcsample(2), for programs that do not use libprofil-solaris: stores the user PC
 * of each clock tick in an array of @nsamples elements, until the array is full.
 */
long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif
