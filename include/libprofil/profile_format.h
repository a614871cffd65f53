/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The profile file, versions 1 and 2: what libprofil-preload.so writes, together
 * with the kernel, and what profil(1) reads. profil-file(5) describes it.
 *
 * A file holds one address space's profile, from the start of a program or
 * from a fork to exec or exit:
 *
 *	struct profile_header			at 0
 *	log of struct profile_record		at log_offset
 *	pcs, sample_width bytes each		at samples_offset
 *	stack stream				at stacks_offset, if that is not 0
 *
 * in the byte order of the machine that wrote it. It is written in place
 * through a shared mapping, so that it is complete whenever its program ends,
 * in whatever way. Log, samples and stream are sparse: zeroes follow what is
 * there.
 *
 * Version 2 has the stack stream, as <linux/profil_stacks.h> describes it, and
 * where that is: fields that are 0 in version 1, which is the same otherwise.
 * What it has for nobody, a kernel without stacks for instance, is 0 as well.
 *
 * For readers
 * -----------
 * Anybody may have written the file, it may be cut short anywhere, and its
 * program may be at it. In this order:
 *
 * 1. Read sizeof(struct profile_header) bytes. Fewer: no profile file.
 * 2. @magic, then @byte_order: another one, no profile file that can be read.
 * 3. @version: from PROFILE_VERSION_OLDEST to PROFILE_VERSION; refuse all others,
 *    and do not write to them. Of version 1, take all that is behind @unattended
 *    as 0, whatever it is.
 * 4. @sample_width is 4 or 8, @header_size not below sizeof(struct
 *    profile_header), @samples_offset a multiple of @sample_width. Otherwise
 *    refuse it.
 *
 * From here on what is damaged is left out, with a warning, and the rest is good:
 *
 * 5. Log: the least of @log_used, of @log_capacity, of what the file has from
 *    @log_offset on, and, if that is before @samples_offset, of what is between
 *    them. It is read record by record: @size of each is a multiple of 8, not
 *    below what its type has, not above what is left. The log ends at the first
 *    record that is not like that, as nothing says where the next one is. Types
 *    that are not known are skipped. Strings end with a zero, or with the record.
 * 6. Stacks: there are some if @stacks_offset is not 0. It is a multiple of 8,
 *    and not before @samples_offset + @sample_width * @capacity, which does not
 *    wrap: otherwise take @stacks_offset as 0, and the samples as those of a
 *    file without stacks. The stream ends with @stacks_capacity bytes, with the
 *    file, or where a record's size should be and a zero is, whatever comes
 *    first. Of a file that is cut, stop at what is missing; @stacks_offset may
 *    then be behind the end of the file.
 * 7. Samples: from @samples_offset to the end of the file; with stacks, only
 *    @capacity of them. They end where only zeroes follow: a pc of 0 before that
 *    is a tick whose sample was lost. Look for holes (SEEK_DATA): what is a hole
 *    may be larger than memory.
 *
 * @capacity means nothing else: without stacks, do not hold samples against it.
 * @ticks, @counted, @dropped, @stack_bytes and @stackless are of the moment of
 * exit(), and only with PROFILE_ENDED; a few samples and stacks may come later.
 * They are for people, not for finding where something ends.
 *
 * Who reads while others cut the file (profil(1) does, and profil report): its
 * stream moves, and the place where it was is cut off. Read it with pread(2),
 * not through a mapping, and the header once more if something is missing. It moves
 * to where samples could have been, for which @capacity is lessened before: samples
 * that have been read are some if they are within the @capacity of after that.
 */
#ifndef LIBPROFIL_PROFILE_FORMAT_H
#define LIBPROFIL_PROFILE_FORMAT_H

#include <stdint.h>

#define PROFILE_MAGIC		"\177PROFIL\n"
#define PROFILE_VERSION		2
#define PROFILE_VERSION_OLDEST	1	/* that can be read */
#define PROFILE_BYTE_ORDER	0x01020304

enum profile_state {
	PROFILE_RUNNING		= 0,	/* or ended without a word */
	PROFILE_ENDED		= 1	/* exit() was called */
};

/**
 * struct profile_header - the first bytes of the file.
 * @magic:          PROFILE_MAGIC, without its terminating zero.
 * @version:        PROFILE_VERSION, or an older one.
 * @header_size:    bytes of this structure.
 * @byte_order:     PROFILE_BYTE_ORDER.
 * @sample_width:   bytes of a pc: 4 or 8.
 * @log_offset:     where the log begins, from the start of the file.
 * @log_capacity:   bytes that it can take.
 * @log_used:       bytes that it has.
 * @samples_offset: where the samples begin.
 * @capacity:       how many there can be.
 * @period_ns:      mean CPU time between samples.
 * @rate:           enum profil_rate.
 * @flags:          PROFIL_USER_ONLY, PROFIL_RANDOM.
 * @pid:            the process, as it saw itself.
 * @parent:         the process that forked it; 0: a program has been started.
 * @started_ns:     CLOCK_REALTIME at the start.
 * @ended_ns:       and at the end, if @state is PROFILE_ENDED.
 * @state:          enum profile_state.
 * @unprofiled:     forks that have no file of their own: it could not be made.
 * @log_lost:       records that did not fit.
 * @stopped:        enum profil_state, if it is not PROFIL_STATE_ON.
 * @ticks:          with PROFILE_ENDED: the kernel's accounting at that moment,
 * @counted:        see struct profil_status.
 * @dropped:
 * @unattended:     1: profil(1) has ended, and nobody will cut the file.
 * @stacks_offset:  where the stack stream begins; 0: there is none.
 * @stacks_capacity: bytes that it can take.
 * @stack_bytes:    with PROFILE_ENDED: bytes of whole records at that moment,
 * @stackless:      and ticks that are in none of them.
 * @monotonic_ns:   CLOCK_MONOTONIC, which the stream's times are of, at
 *                  @started_ns; 0: not known.
 * @reserved:       0.
 */
struct profile_header {
	char		magic[8];
	uint32_t	version;
	uint32_t	header_size;
	uint32_t	byte_order;
	uint32_t	sample_width;
	uint64_t	log_offset;
	uint64_t	log_capacity;
	uint64_t	log_used;
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
	uint64_t	unattended;
	uint64_t	stacks_offset;
	uint64_t	stacks_capacity;
	uint64_t	stack_bytes;
	uint64_t	stackless;
	uint64_t	monotonic_ns;
	uint64_t	reserved[2];
};

enum profile_record_type {
	PROFILE_OBJECT		= 1,	/* struct profile_object */
	PROFILE_GONE		= 2,	/* uint64_t: start of an object */
	/* 3 has never been written. */
	PROFILE_ARGUMENTS	= 4,	/* zero-terminated strings */
	PROFILE_TAKEN		= 5,	/* the program called profil() itself */
	PROFILE_NAME		= 6,	/* of the process, zero-terminated */
	PROFILE_HOST		= 7	/* that it ran on, zero-terminated */
};

/**
 * struct profile_record - what happened to the process at some sample.
 * @type:   enum profile_record_type. Readers skip what they do not know.
 * @size:   bytes, this header included; a multiple of 8.
 * @sample: how many samples there were.
 */
struct profile_record {
	uint32_t	type;
	uint32_t	size;
	uint64_t	sample;
};

#define PROFILE_BUILD_ID_MAX	32

/**
 * struct profile_object - an executable segment of an object in memory.
 * @start:         first address.
 * @end:           first address after it.
 * @bias:          what was added to the addresses in the object's file.
 * @offset:        where the segment begins in that file.
 * @build_id_size: bytes of @build_id; 0: it has none.
 * @reserved:      0.
 * @build_id:
 * @path:          absolute path, or [vdso]; zero-terminated.
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

#endif
