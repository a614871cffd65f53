/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The profile file, version 2. libprofil-preload.so and the kernel write it,
 * profil(1) reads it, profil-file(5) describes it.
 *
 * A file holds the profile of one address space, from the start of a program or
 * from a fork to exec or exit:
 *
 *	struct profile_header			at 0
 *	log of struct profile_record		at log_offset
 *	pcs, sample_width bytes each		at samples_offset
 *	stack stream				at stacks_offset, if that is not 0
 *
 * in the byte order of the machine that wrote it. It is written in place through a
 * shared mapping, so it is complete however its program ends. Log, samples and
 * stream are sparse: zeroes follow the data.
 *
 * <linux/profil_stacks.h> describes the stack stream. In a file without a stream,
 * for example from a kernel without stacks, its fields are 0.
 *
 * For readers
 * -----------
 * Do not trust the file. It may end anywhere, and its program may still write to
 * it. Check in this order:
 *
 * 1. Read sizeof(struct profile_header) bytes. A shorter file is no profile file.
 * 2. @magic and @byte_order must match. Otherwise the file cannot be read.
 * 3. @version must be PROFILE_VERSION. Refuse others, and do not write to them.
 * 4. @sample_width must be 4 or 8, @header_size at least sizeof(struct
 *    profile_header), @samples_offset a multiple of @sample_width. Otherwise
 *    refuse the file.
 *
 * From here on, warn about a damaged part, leave it out, and use the rest:
 *
 * 5. Log: its length is the least of @log_used, @log_capacity, the bytes from
 *    @log_offset to the end of the file and, if @log_offset is before
 *    @samples_offset, the bytes between the two. Read it record by record. Each
 *    record's @size must be a multiple of 8, at least the size of its type, and at
 *    most the rest of the log. The log ends at the first bad record: nothing says
 *    where the next one begins. It also ends at its first hole (SEEK_HOLE), which
 *    may be larger than memory. Skip unknown types. A string ends with a zero byte
 *    or with its record.
 * 6. Stacks: the file has a stream if @stacks_offset is not 0. The offset must be a
 *    multiple of 8, and at least @samples_offset + @sample_width * @capacity. That
 *    sum must not wrap. Otherwise treat the file as one without stacks. The stream
 *    ends after @stacks_capacity bytes, at the end of the file, or at a zero in
 *    place of a record's size, whichever comes first. @stacks_offset may lie past
 *    the end of a file that was cut.
 * 7. Samples: from @samples_offset to the end of the file; with stacks, at most
 *    @capacity of them. They end where only zeroes follow. A PC of 0 before that
 *    is a tick whose sample was lost. Skip holes (SEEK_DATA): a hole may be larger
 *    than memory.
 *
 * If the last sample is number @capacity, the room has run out.
 * @ticks, @counted, @dropped, @stack_bytes and @stackless are valid with
 * PROFILE_ENDED only. They show the counts at exit(); a few samples and stacks may
 * follow. Show them to people, but do not compute ends from them.
 *
 * When the process has ended, another file without unused space takes the name. A
 * file without samples is cut behind its log. So read with pread(2), not through a
 * mapping.
 */
#ifndef LIBPROFIL_PROFILE_FORMAT_H
#define LIBPROFIL_PROFILE_FORMAT_H

#include <stdint.h>

#define PROFILE_MAGIC		"\177PROFIL\n"
#define PROFILE_VERSION		2
#define PROFILE_BYTE_ORDER	0x01020304

enum profile_state {
	PROFILE_RUNNING		= 0,	/* or ended without exit() */
	PROFILE_ENDED		= 1	/* exit() was called */
};

#define PROFILE_OUTLIVED	2

/**
 * struct profile_header - the first bytes of the file.
 * @magic:          PROFILE_MAGIC, without its terminating zero.
 * @version:        PROFILE_VERSION.
 * @header_size:    bytes of this structure.
 * @byte_order:     PROFILE_BYTE_ORDER.
 * @sample_width:   bytes of a PC: 4 or 8.
 * @log_offset:     start of the log, in bytes from the start of the file.
 * @log_capacity:   maximum bytes of the log.
 * @log_used:       bytes of the log's records.
 * @samples_offset: start of the samples, in bytes from the start of the file.
 * @capacity:       maximum number of samples.
 * @period_ns:      mean CPU time between samples; 0: the profile had not started yet.
 * @rate:           enum profil_rate.
 * @flags:          PROFIL_USER_ONLY, PROFIL_RANDOM, PROFIL_WAITS.
 * @pid:            the process's own getpid().
 * @parent:         the process that forked it; 0: exec started the program.
 * @started_ns:     CLOCK_REALTIME at the start.
 * @ended_ns:       @started_ns and the time since by CLOCK_MONOTONIC, if @state is
 *                  PROFILE_ENDED.
 * @state:          enum profile_state.
 * @unprofiled:     forks whose child could not make a file of its own, or not start
 *                  its profile.
 * @log_lost:       records that did not fit.
 * @stopped:        enum profil_state, if it is not PROFIL_STATE_ON; PROFIL_STATE_DENIED:
 *                  switched off, or not started after a pause (@start_error is not 0).
 * @ticks:          with PROFILE_ENDED: the kernel's counts at that moment; see
 * @counted:        struct profil_status.
 * @dropped:
 * @unattended:     1: no profil(1) makes the file small when the process has ended;
 *                  PROFILE_OUTLIVED: the process went on after the profile.
 * @waits_lost:     with PROFILE_ENDED: samples of waits that are in no record, or the
 *                  largest number.
 * @stacks_offset:  start of the stack stream, in bytes from the start of the
 *                  file; 0: no stream.
 * @stacks_capacity: maximum bytes of the stream.
 * @stack_bytes:    with PROFILE_ENDED: bytes of whole records at that moment,
 * @stackless:      and ticks without a record.
 * @monotonic_ns:   the process's CLOCK_MONOTONIC at @started_ns, as in the stream; 0:
 *                  unknown.
 * @refused:        how many of @unprofiled the kernel refused a profile; the others
 *                  could not create a file.
 * @start_error:    errno of the last start that the kernel refused; 0: none.
 * @file_error:     errno of the last that could not create a file; 0: none.
 * @run:            pid of the profil(1) that ran the command; 0: none, or unknown.
 */
struct profile_header {
	char		magic[8];
	uint32_t	version;
	uint32_t	header_size;
	uint32_t	byte_order;
	uint32_t	sample_width;
	uint64_t	log_offset;
	uint64_t	log_capacity;
	uint64_t	log_used __attribute__((aligned(8)));	/* written at once, also on i386 */
	uint64_t	samples_offset;
	uint64_t	capacity;
	uint64_t	period_ns;
	uint32_t	rate;
	uint32_t	flags;
	uint32_t	pid;
	uint32_t	parent;
	uint64_t	started_ns;
	uint64_t	ended_ns;
	uint32_t	state;
	uint32_t	unprofiled;
	uint32_t	log_lost;
	uint32_t	stopped;
	uint64_t	ticks;
	uint64_t	counted;
	uint64_t	dropped;
	uint32_t	unattended;
	uint32_t	waits_lost;
	uint64_t	stacks_offset;
	uint64_t	stacks_capacity;
	uint64_t	stack_bytes;
	uint64_t	stackless;
	uint64_t	monotonic_ns;
	uint32_t	refused;
	uint32_t	start_error;
	uint32_t	file_error;
	uint32_t	run;
};

enum profile_record_type {
	PROFILE_OBJECT		= 1,	/* struct profile_object */
	PROFILE_GONE		= 2,	/* uint64_t: start of an object */
	/* 3 has never been written. */
	PROFILE_ARGUMENTS	= 4,	/* zero-terminated strings */
	PROFILE_TAKEN		= 5,	/* the program called profil() itself */
	PROFILE_NAME		= 6,	/* the process's name, zero-terminated */
	PROFILE_HOST		= 7,	/* the host's name, zero-terminated */
	/* uint64_t: CLOCK_MONOTONIC; the name of a phase that begins, zero-terminated */
	PROFILE_PHASE		= 8
};

/**
 * struct profile_record - an event in the process.
 * @type:   enum profile_record_type. Readers skip unknown types.
 * @size:   bytes of the record, this header included; a multiple of 8.
 * @sample: number of samples before the event.
 */
struct profile_record {
	uint32_t	type;
	uint32_t	size;
	uint64_t	sample;
};

#define PROFILE_BUILD_ID_MAX	32
/* In place of a path: where a running process makes the calls that profil -p needs. */
#define PROFILE_TRAMPOLINE	"[profil -p]"

/**
 * struct profile_object - an executable segment of an object in memory.
 * @start:         first address.
 * @end:           first address after it.
 * @bias:          difference between addresses in memory and in the object's file.
 * @offset:        start of the segment in that file.
 * @build_id_size: bytes of @build_id; 0: the object has none.
 * @reserved:      0.
 * @build_id:      the object's build ID.
 * @path:          absolute path, [vdso] or PROFILE_TRAMPOLINE; zero-terminated.
 */
struct profile_object {
	uint64_t	start;
	uint64_t	end;
	uint64_t	bias;
	uint64_t	offset;
	uint32_t	build_id_size;
	uint32_t	reserved;
	uint8_t		build_id[PROFILE_BUILD_ID_MAX];
#ifdef __GNUC__
	__extension__	/* in C++ and C90 */
#endif
	char		path[];
};

#define PROFILE_NAMES		"profil.names"
#define PROFILE_NAMES_MAGIC	"\177PRNAMES"
#define PROFILE_NAMES_VERSION	1
#define PROFILE_NAMES_MOST	(32u << 20)

/**
 * struct profile_names_header - the first bytes of the file PROFILE_NAMES beside profile
 * files. The rest is a zlib stream; profil-file(5) describes its contents.
 * @magic:      PROFILE_NAMES_MAGIC, without its terminating zero.
 * @version:    PROFILE_NAMES_VERSION.
 * @byte_order: PROFILE_BYTE_ORDER.
 * @size:       bytes of the contents, uncompressed; PROFILE_NAMES_MOST at most.
 */
struct profile_names_header {
	char		magic[8];
	uint32_t	version;
	uint32_t	byte_order;
	uint64_t	size;
};

#endif
