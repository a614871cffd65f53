/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/profil: program-counter profiling by the kernel's clock tick.
 *
 * The device profiles the address space of the process that calls it, and
 * nothing else. On each tick that finds one of the process's threads on a CPU,
 * in user or in system mode, the user PC (for a system tick: the PC the thread
 * will return to) is either counted in a histogram or appended to a sample
 * array, directly in the process's own memory. Ticks that belong to interrupts
 * and softirqs are not charged.
 *
 * An address space has at most one profile of all its threads; the last
 * PROFIL_IOC_HISTOGRAM or PROFIL_IOC_SAMPLES wins. The profile is carried by a one-page read-only
 * mapping of /dev/profil that the first such call creates, so descriptors may
 * be closed at once. The page shows struct profil_status, live. fork() gives
 * the child a profile of its own (same regions over the child's copy of the
 * buffers; sample arrays go on from the same position), vfork() and CLONE_VM
 * share it, exec, exit and munmap() of the page end it. A child that cannot have
 * one, for want of memory or because its user has as many as he may, is not
 * profiled: its page says PROFIL_STATE_DENIED, and PROFIL_IOC_STATUS knows of no
 * profile.
 *
 * Besides, a thread may have a profile of its own, which it starts with
 * PROFIL_THREAD. From that start on, its ticks are that profile's, and not the
 * process's, until a call stops it; also when it has ended by itself. It has a
 * page of its own, at another address, by which other threads can name it, and
 * follows the rules of the process's one but for this:
 * - When the thread exits, nothing is added any more; that shows in no field. The
 *   page and its counts stay until somebody unmaps it: munmap() of the page
 *   ends a profile at any time. In a process that has PROFIL_THREADS_MAX of them,
 *   or whose user has as many profiles as he may, a start takes over what a
 *   thread that has exited has left, the oldest first, with its page; without
 *   such, it is EDQUOT.
 * - A child that the thread forks has it, for its only thread. Those of other
 *   threads are not in the child: their pages show PROFIL_STATE_DENIED there, and
 *   so does its own above the user's limit; then it counts for its process.
 *   (Nor is the own one in kernels without CONFIG_MEMCG.)
 * - Who shares the memory by vfork() or CLONE_VM is another thread.
 *
 * A call that replaces or stops a profile returns when no CPU can write to the
 * old buffers any more and every deferred update has been applied.
 *
 * The layout is the same for 64-bit, 32-bit and x32 callers. Reserved fields
 * must be 0. An unknown flag or value is EINVAL, an unknown command ENOTTY.
 *
 * How the interface grows. Fields are only ever added, at the end of a
 * structure, and 0 in a new field means what there was before it. The argument
 * of each command, and each structure that one points to, begins with its size
 * as the caller knows it; a region's is in the request. So any program works
 * with any kernel, as with the system calls that take a size:
 * - what the caller's structure does not have is taken as 0, and is not
 *   reported;
 * - what the kernel's structure does not have must be 0 in what it reads, or
 *   the call is E2BIG, and is set to 0 in what it reports;
 * - below PROFIL_..._SIZE_MIN, the fields without which there is nothing to
 *   do, it is EINVAL; above PROFIL_SIZE_MAX E2BIG.
 * The numbers of commands have no size in them and never change.
 */
#ifndef _UAPI_LINUX_PROFIL_H
#define _UAPI_LINUX_PROFIL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* No structure is longer than this. */
#define PROFIL_SIZE_MAX			4096

/* Counter index of a pc: with d = pc - offset and E = width in bytes. */
enum profil_index {
	/* ((d * scale) >> 16) / E: System V, BSD, IRIX, HP-UX, Tru64. */
	PROFIL_INDEX_BYTE_DOWN	= 0,
	/* ((d * scale) >> 16) rounded up to a multiple of E, / E: AIX, V7. */
	PROFIL_INDEX_BYTE_UP	= 1,
	/* ((d / E) * scale) >> 16: glibc. */
	PROFIL_INDEX_ELEMENT	= 2
};

/* What happens to an increment of a counter that has reached its limit. */
enum profil_limit {
	/* It is not stored. */
	PROFIL_LIMIT_SATURATE	= 0,
	/* The counter starts again at 0. Only with limit 0. */
	PROFIL_LIMIT_WRAP	= 1,
	/* It is not stored, and the whole profile stops. */
	PROFIL_LIMIT_STOP	= 2
};

/* What stops when a counter's memory cannot be written. */
enum profil_fault {
	PROFIL_FAULT_STOP_ALL		= 0,
	PROFIL_FAULT_STOP_REGION	= 1
};

/*
 * The region takes each pc that lies in no other region, whatever its own
 * pc range. offset, pc_start, pc_end and scale must be 0; only counter 0 is
 * used. At most one region of a request may have this flag.
 */
#define PROFIL_REGION_CATCH_ALL		(1U << 0)

/**
 * struct profil_region - a range of text and the counters it is counted in.
 * @buf:      address of the counters in the caller's memory. Any alignment;
 *            @buf + @size does not wrap.
 * @size:     length of the counters in bytes. A remainder that does not make
 *            a whole counter is never written. 0: the region counts nothing.
 * @offset:   pc that belongs to counter 0 (subtracted from each pc).
 * @pc_start: lowest pc counted; 0 means @offset. Not below @offset.
 * @pc_end:   first pc no longer counted, above the lowest one; 0 means no bound
 *            but the last whole counter. Pcs beyond the last counter are never
 *            counted.
 * @limit:    largest value a counter takes; 0 means what its width holds.
 * @scale:    16.16 fixed point, bytes of counters per byte of text: 0x10000 is
 *            1:1. Any value. 0 puts every pc into counter 0.
 * @width:    bytes of a counter: 2, 4 or 8.
 * @index:    enum profil_index.
 * @at_limit: enum profil_limit.
 * @on_fault: enum profil_fault.
 * @flags:    PROFIL_REGION_*.
 * @reserved: 0.
 *
 * Regions may overlap: among those that count a pc, the one with the largest
 * offset gets it, the first in the array on a tie. Counters are native-endian
 * unsigned integers.
 */
struct profil_region {
	__aligned_u64	buf;
	__aligned_u64	size;
	__aligned_u64	offset;
	__aligned_u64	pc_start;
	__aligned_u64	pc_end;
	__aligned_u64	limit;
	__u32		scale;
	__u8		width;
	__u8		index;
	__u8		at_limit;
	__u8		on_fault;
	__u32		flags;
	__u32		reserved;
};

#define PROFIL_REGION_SIZE_MIN		56	/* up to @on_fault */

/* Which ticks are samples. */
enum profil_rate {
	/* _SC_CLK_TCK (100) per second of CPU time, or HZ if HZ is lower. */
	PROFIL_RATE_CLOCK	= 0,
	/* Every tick of the kernel: CONFIG_HZ per second of CPU time. */
	PROFIL_RATE_TICK	= 1,
	/*
	 * 1000 per second of CPU time. EACCES if restrict_fastprof is set, and where
	 * timers have no resolution of 1 ms: those of a kernel with highres=off.
	 */
	PROFIL_RATE_FAST	= 2
};

/* Charge user ticks only; system ticks are neither counted nor seen. */
#define PROFIL_USER_ONLY		(1U << 0)
/* PROFIL_RATE_FAST only: random distance between samples, mean unchanged. */
#define PROFIL_RANDOM			(1U << 1)
/* The calling thread's own profile: of its ticks, and of no others. */
#define PROFIL_THREAD			(1U << 2)

/* Most threads of an address space that have profiles. */
#define PROFIL_THREADS_MAX		64

/* What the address space's profile is, or was when it stopped. */
enum profil_mode {
	PROFIL_MODE_NONE	= 0,
	PROFIL_MODE_HISTOGRAM	= 1,
	PROFIL_MODE_SAMPLES	= 2
};

/* Why a profile is not running. */
enum profil_state {
	PROFIL_STATE_OFF	= 0,	/* never started, or stopped by a call */
	PROFIL_STATE_ON		= 1,
	PROFIL_STATE_LIMIT	= 2,	/* a counter with PROFIL_LIMIT_STOP */
	PROFIL_STATE_FULL	= 3,	/* the sample array is full */
	PROFIL_STATE_FAULT	= 4,	/* memory could not be written */
	PROFIL_STATE_DENIED	= 5	/* switched off by the administrator */
};

/**
 * struct profil_status - what a profile is doing; also the layout of the page.
 * @size:      in: sizeof(struct profil_status). Out, and in the page: bytes that
 *             the kernel has filled in.
 * @mode:      enum profil_mode.
 * @state:     enum profil_state.
 * @rate:      enum profil_rate.
 * @flags:     PROFIL_USER_ONLY, PROFIL_RANDOM, PROFIL_THREAD as requested.
 * @tag:       tag of the request that started it.
 * @period_ns: mean CPU time between samples in nanoseconds: 10000000 for
 *             PROFIL_RATE_CLOCK on most kernels.
 * @ticks:     ticks (after the rate's selection) that were this profile's.
 * @counted:   of these, charged to a region or stored in the sample array.
 * @outside:   in no region.
 * @dropped:   lost: memory not writable, or no room to defer the update.
 * @deferred:  updates that had to wait for a page; each is also in counted or
 *             dropped once it is done.
 * @saturated: of counted, not stored because the counter was at its limit.
 * @faults:    updates given up for a memory fault.
 * @nsamples:  samples in the array since the last call that started or stopped
 *             a profile; in a fork child, including its parent's.
 * @stack_bytes: bytes of the stream of stacks that are whole records.
 * @stack_records: number of these records, those of threads' names included.
 * @stackless: ticks of a profile with stacks that are in no record: others of the
 *             thread waited, of another place; too many threads had some
 *             waiting; the thread was on its way out; or the stream has ended,
 *             because it was full or its memory could not be written.
 *
 * Counts start at 0 with each profile and in each fork child. When a call has
 * stopped or replaced a profile, ticks == counted + outside + dropped in what
 * it reports; while a profile runs, or has stopped by itself with updates still
 * deferred, ticks may be ahead. Likewise, with stacks, ticks == the sum of all
 * records' counts + stackless.
 */
struct profil_status {
	__u32		size;
	__u32		mode;
	__u32		state;
	__u32		rate;
	__u32		flags;
	__u32		tag;
	__aligned_u64	period_ns;
	__aligned_u64	ticks;
	__aligned_u64	counted;
	__aligned_u64	outside;
	__aligned_u64	dropped;
	__aligned_u64	deferred;
	__aligned_u64	saturated;
	__aligned_u64	faults;
	__aligned_u64	nsamples;
	__aligned_u64	stack_bytes;
	__aligned_u64	stack_records;
	__aligned_u64	stackless;
};

#define PROFIL_STATUS_SIZE_MIN		24	/* up to @tag */

/**
 * struct profil_histogram - start counting in regions.
 * @size:        sizeof(struct profil_histogram).
 * @rate:        enum profil_rate.
 * @flags:       PROFIL_USER_ONLY, PROFIL_RANDOM, PROFIL_THREAD.
 * @tag:         stored and reported by struct profil_status; no other meaning.
 * @regions:     address of an array of struct profil_region.
 * @nregions:    its length; 0 is EINVAL, above the module parameter max_regions
 *               E2BIG.
 * @region_size: sizeof(struct profil_region).
 * @page:        out: address of the struct profil_status page; 0 if the process
 *               has made copies of the mapping with mremap().
 * @last:        address of a struct profil_status, its size set, that reports
 *               the profile that this one replaces, after it stopped; or 0.
 */
struct profil_histogram {
	__u32		size;
	__u32		rate;
	__u32		flags;
	__u32		tag;
	__aligned_u64	regions;
	__u32		nregions;
	__u32		region_size;
	__aligned_u64	page;
	__aligned_u64	last;
};

#define PROFIL_HISTOGRAM_SIZE_MIN	32	/* up to @region_size */

/**
 * struct profil_samples - start storing pcs in an array.
 * @size:     sizeof(struct profil_samples).
 * @rate:     enum profil_rate.
 * @flags:    PROFIL_USER_ONLY, PROFIL_RANDOM, PROFIL_THREAD.
 * @tag:      as in struct profil_histogram.
 * @buf:      address of the array. Any alignment. Of memory that is not there
 *            yet, the kernel brings in pages ahead of the one that it stores in:
 *            what is stored in 10 s of CPU time in each of the process's threads,
 *            or of 4 if it has fewer, or of the CPUs if those are fewer still (with
 *            PROFIL_THREAD, in one); at most 1 MiB.
 * @nsamples: its length in elements. The profile stops when it is full.
 * @width:    bytes of an element: 4 (low half of the pc) or 8.
 * @reserved: 0.
 * @page:     out: as in struct profil_histogram.
 * @last:     as in struct profil_histogram.
 * @stacks:   address of memory for the stream of call stacks, which is described
 *            in <linux/profil_stacks.h>; 0: no stacks, as must be
 *            with PROFIL_THREAD. The process's own threads write it, on their way
 *            to user mode; the array is complete without. When it is full, or
 *            cannot be written, it ends, and the array goes on.
 * @stacks_size: its length in bytes, at least PROFIL_STACKS_SIZE_MIN; 0 without
 *            stacks. The memory should be zeroed: the end of the stream is a 0.
 * @first_sample: the number that the array's element 0 has in the stream; 0
 *            without stacks.
 */
struct profil_samples {
	__u32		size;
	__u32		rate;
	__u32		flags;
	__u32		tag;
	__aligned_u64	buf;
	__aligned_u64	nsamples;
	__u32		width;
	__u32		reserved;
	__aligned_u64	page;
	__aligned_u64	last;
	__aligned_u64	stacks;
	__aligned_u64	stacks_size;
	__aligned_u64	first_sample;
};

#define PROFIL_SAMPLES_SIZE_MIN		40	/* up to @reserved */

/* A stream of stacks is not shorter. */
#define PROFIL_STACKS_SIZE_MIN		4096

/**
 * struct profil_object - a piece of the address space that a linker has made.
 * @start:        its first address.
 * @end:          the first address behind it.
 * @eh_frame_hdr: address of its .eh_frame_hdr (PT_GNU_EH_FRAME); 0 if it has none.
 */
struct profil_object {
	__aligned_u64	start;
	__aligned_u64	end;
	__aligned_u64	eh_frame_hdr;
};

#define PROFIL_OBJECT_SIZE_MIN		24

/* Most objects of an address space. */
#define PROFIL_OBJECTS_MAX		8192

/**
 * struct profil_object_table - where code is, so that stacks can be followed.
 * @size:        sizeof(struct profil_object_table).
 * @nobjects:    length of @objects; 0: there are none.
 * @object_size: sizeof(struct profil_object).
 * @reserved:    0.
 * @objects:     address of an array of struct profil_object, by ascending
 *               address, without overlaps. It is copied.
 *
 * The table belongs to the address space's profile: it survives starts and stops,
 * and a fork child inherits it. Where it is wrong stacks are cut short or wrong,
 * and nothing worse.
 */
struct profil_object_table {
	__u32		size;
	__u32		nobjects;
	__u32		object_size;
	__u32		reserved;
	__aligned_u64	objects;
};

#define PROFIL_OBJECT_TABLE_SIZE_MIN	24

/**
 * struct profil_thread - names the own profile of a thread of this process.
 * @size:     sizeof(struct profil_thread).
 * @reserved: 0.
 * @page:     address of its page, as its start has told it; of the process's
 *            profile likewise. 0: that of the calling thread.
 * @status:   address of a struct profil_status, its size set, that reports it.
 */
struct profil_thread {
	__u32		size;
	__u32		reserved;
	__aligned_u64	page;
	__aligned_u64	status;
};

#define PROFIL_THREAD_SIZE_MIN		24	/* all of it */

/**
 * struct profil_features - what this kernel and module can do.
 * @size:         in: sizeof(struct profil_features); out: bytes that the kernel
 *                has filled in.
 * @rates:        bit (1 << enum profil_rate) for each rate that would be
 *                granted now.
 * @flags:        PROFIL_* request flags known.
 * @region_flags: PROFIL_REGION_* flags known.
 * @widths:       sum of the counter widths that regions may have.
 * @indexes:      bit (1 << enum profil_index) for each index rule.
 * @limits:       bit (1 << enum profil_limit).
 * @faults:       bit (1 << enum profil_fault).
 * @modes:        bit (1 << enum profil_mode) for each mode but NONE.
 * @max_regions:  most regions in one request.
 * @period_ns:    by enum profil_rate: mean CPU time between samples.
 * @stacks:       PROFIL_STACKS_VERSION of the streams of stacks that a sample array
 *                may have; 0: none, on this machine.
 * @reserved:     0.
 */
struct profil_features {
	__u32		size;
	__u32		rates;
	__u32		flags;
	__u32		region_flags;
	__u32		widths;
	__u32		indexes;
	__u32		limits;
	__u32		faults;
	__u32		modes;
	__u32		max_regions;
	__aligned_u64	period_ns[3];
	__u32		stacks;
	__u32		reserved;
};

#define PROFIL_FEATURES_SIZE_MIN	40	/* up to @max_regions */

/* Where udev puts the device. */
#define PROFIL_DEVICE	"/dev/profil"

/*
 * Commands. Errors of all: EFAULT, the argument is not readable or writable;
 * EINVAL and E2BIG, its size is wrong or it has fields that are not known.
 *
 * PROFIL_IOC_FEATURES   struct profil_features: asks; changes nothing.
 * PROFIL_IOC_STATUS     struct profil_status: reports this address space's
 *                       profile; changes nothing.
 * PROFIL_IOC_HISTOGRAM  struct profil_histogram: replaces the profile. EINVAL: a
 *                       field out of range, a reserved field or unknown flag
 *                       set, a size that wraps; E2BIG: too many regions;
 *                       EFAULT: @regions not readable, @last not writable, or a
 *                       buffer not in user space; EACCES: PROFIL_RATE_FAST is
 *                       not granted, or the device is not open for reading;
 *                       EPERM: profiling is switched off; EDQUOT: the user has
 *                       as many profiles as the module parameter max_profiles
 *                       allows, or PROFIL_THREADS_MAX threads have their own;
 *                       EAGAIN: the page would have to be locked, after
 *                       mlockall(MCL_FUTURE), and RLIMIT_MEMLOCK is reached;
 *                       ENOMEM; EINTR: a fatal signal. On an error the running
 *                       profile goes on unchanged; but after EINTR it may have
 *                       stopped, and if memory that could be written when the
 *                       call began is gone when it reports, EFAULT, none runs.
 * PROFIL_IOC_SAMPLES    struct profil_samples: the same with a sample array.
 *                       EINVAL also: @stacks_size too small, or @stacks on a
 *                       machine that has none.
 * PROFIL_IOC_STOP       struct profil_status: stops the profile, if any, and
 *                       reports it. The page stays mapped.
 * PROFIL_IOC_OBJECTS    struct profil_object_table: replaces the table. EINVAL: not
 *                       ascending, @start not below @end, a reserved field set,
 *                       a machine without stacks; E2BIG: too many objects;
 *                       EFAULT: @objects not readable; EDQUOT, EAGAIN, ENOMEM, EINTR,
 *                       EPERM and EACCES as above: there need not be a profile
 *                       yet. On an error the old table stays.
 * PROFIL_IOC_THREAD_STATUS, PROFIL_IOC_THREAD_STOP
 *                       struct profil_thread: as PROFIL_IOC_STATUS and _STOP for
 *                       a thread's own profile; any thread of the process may ask.
 *                       EINVAL also: at @page, no such page begins; EFAULT:
 *                       @status is not readable or writable; EINTR.
 *
 * No size and no direction, so that they stay what they are when a structure
 * grows.
 */
#define PROFIL_IOC_MAGIC	0xBB
#define PROFIL_IOC_FEATURES	_IO(PROFIL_IOC_MAGIC, 0)
#define PROFIL_IOC_STATUS	_IO(PROFIL_IOC_MAGIC, 1)
#define PROFIL_IOC_HISTOGRAM	_IO(PROFIL_IOC_MAGIC, 2)
#define PROFIL_IOC_SAMPLES	_IO(PROFIL_IOC_MAGIC, 3)
#define PROFIL_IOC_STOP		_IO(PROFIL_IOC_MAGIC, 4)
#define PROFIL_IOC_OBJECTS	_IO(PROFIL_IOC_MAGIC, 5)
#define PROFIL_IOC_THREAD_STATUS _IO(PROFIL_IOC_MAGIC, 6)
#define PROFIL_IOC_THREAD_STOP	_IO(PROFIL_IOC_MAGIC, 7)

#endif /* _UAPI_LINUX_PROFIL_H */
