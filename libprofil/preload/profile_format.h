/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The profile file, version 1: what libprofil-preload.so writes, together with
 * the kernel, and what profil(1) reads. docs/profile-file.md describes it.
 *
 * A file holds one address space's profile, from the start of a program or
 * from a fork to exec or exit:
 *
 *	struct profile_header			at 0
 *	log of struct profile_record		at log_offset
 *	pcs, sample_width bytes each		at samples_offset
 *
 * in the byte order of the machine that wrote it. It is written in place
 * through a shared mapping, so that it is complete whenever its program ends,
 * in whatever way. Log and samples are sparse: zeroes follow what is there.
 */
#ifndef PROFILE_FORMAT_H
#define PROFILE_FORMAT_H

#include <stdint.h>

#define PROFILE_MAGIC		"\177PROFIL\n"
#define PROFILE_VERSION		1
#define PROFILE_BYTE_ORDER	0x01020304

enum profile_state {
	PROFILE_RUNNING		= 0,	/* or ended without a word */
	PROFILE_ENDED		= 1,	/* exit() was called */
};

/**
 * struct profile_header - the first bytes of the file.
 * @magic:          PROFILE_MAGIC, without its terminating zero.
 * @version:        PROFILE_VERSION. Readers refuse others.
 * @header_size:    bytes of this structure.
 * @byte_order:     PROFILE_BYTE_ORDER.
 * @sample_width:   bytes of a pc: 4 or 8.
 * @log_offset:     where the log begins, from the start of the file.
 * @log_capacity:   bytes that it can take.
 * @log_used:       bytes that it has.
 * @log_lost:       records that did not fit.
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
 * @ticks:          with PROFILE_ENDED: the kernel's accounting at that moment,
 * @counted:        see struct profil_status.
 * @dropped:
 * @stopped:        enum profil_state, if it is not PROFIL_STATE_ON.
 * @unattended:     1: profil(1) has ended, and nobody will cut the file.
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
	uint64_t	reserved[7];
};

enum profile_record_type {
	PROFILE_OBJECT		= 1,	/* struct profile_object */
	PROFILE_GONE		= 2,	/* uint64_t: start of an object */
	PROFILE_EXECUTABLE	= 3,	/* path, zero-terminated */
	PROFILE_ARGUMENTS	= 4,	/* zero-terminated strings */
	PROFILE_TAKEN		= 5,	/* the program called profil() itself */
	PROFILE_NAME		= 6,	/* of the process, zero-terminated */
	PROFILE_HOST		= 7,	/* that it ran on, zero-terminated */
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
	char		path[];
};
_Static_assert(sizeof(struct profile_object) == 72, "the path is at its end");
_Static_assert(sizeof(struct profile_header) == 208, "no padding");

#endif
