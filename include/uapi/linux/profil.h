/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/profil: program-counter profiling by the kernel's clock tick.
 *
 * The device profiles the address space of the process that calls it, and
 * nothing else. When a tick finds one of the process's threads on a CPU, in user
 * or in system mode, it takes the thread's user PC. (For a system tick, this is
 * the PC that the thread will return to.) The tick counts the PC in a histogram or
 * appends it to a sample array, directly in the process's own memory.
 *
 * Samples agree with the thread's CPU time, as getrusage() reports it. That includes
 * softirqs and interrupts, except on kernels that measure their time
 * (CONFIG_IRQ_TIME_ACCOUNTING). There, timers count the thread's CPU time at every rate.
 *
 * An address space has at most one profile that covers all its threads. Each
 * PROFIL_IOC_HISTOGRAM or PROFIL_IOC_SAMPLES replaces it. The first such call
 * creates a one-page read-only mapping of /dev/profil, which carries the profile.
 * The process may close its descriptors at once. The page shows struct
 * profil_status, live.
 *
 * fork() gives the child a profile of its own. It has the same regions over the
 * child's copy of the buffers; a sample array continues at the same position. With
 * PROFIL_DONTFORK, the child's profile is off. vfork() and CLONE_VM share the
 * profile. exec, exit and munmap() of the page end it. A child gets no profile if
 * memory is short or its user has reached the limit of profiles. Then its page says
 * PROFIL_STATE_DENIED, and PROFIL_IOC_STATUS reports no profile.
 *
 * In addition, a thread may have a profile of its own, which it starts with
 * PROFIL_THREAD. From then on the thread's ticks are charged to that profile, and
 * not to the process's, until a call stops it. This holds even after the profile
 * has ended by itself. The profile has its own page, at another address. Other
 * threads name the profile by this address. It follows the rules of the process's
 * profile, with these differences:
 * - When the thread exits, its profile gets no more ticks; no field shows that. The
 *   page and its counts stay until a munmap() of the page, which ends a profile
 *   at any time. A process can have PROFIL_THREADS_MAX of these profiles; the next
 *   start fails with EDQUOT. So unmap the page of a thread that ends.
 * - A fork child has only a profile of its process. It continues either the
 *   forking thread's profile or the parent process's: the one that the thread's
 *   ticks were charged to. It uses that profile's page. All other pages show
 *   PROFIL_STATE_DENIED in the child.
 * - A task that shares the memory by vfork() or CLONE_VM counts as another thread.
 *
 * A call that replaces or stops a profile returns when no CPU can write to the
 * old buffers any more and every deferred update has been applied. (An update is
 * deferred if the tick could not write the memory.)
 *
 * The layout is the same for 64-bit, 32-bit and x32 callers. Reserved fields
 * must be 0. An unknown flag or value is EINVAL, an unknown command ENOTTY.
 *
 * How the interface grows: later versions only add fields at the end of a
 * structure. 0 in a new field means the behaviour before the field existed. Each
 * argument, and each structure that it points to, begins with its size as the
 * caller knows it. Array elements are an exception: the request holds their size.
 * So any program works with any kernel, as with the system calls that take a size:
 * - a field that the caller's structure lacks is taken as 0, and not reported;
 * - a field that the kernel's structure lacks must be 0 in a request, or the call
 *   fails with E2BIG; in a report it is set to 0;
 * - a size below PROFIL_..._SIZE_MIN, the fields that every call needs, is
 *   EINVAL; a size above PROFIL_SIZE_MAX is E2BIG.
 * Command numbers contain no size and never change.
 */
#ifndef _UAPI_LINUX_PROFIL_H
#define _UAPI_LINUX_PROFIL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* No structure is longer than this. */
#define PROFIL_SIZE_MAX			4096

/* Counter index of a pc, with d = pc - offset and E = width in bytes. */
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
 * The region takes each pc that lies in no other region. offset, pc_start, pc_end
 * and scale must be 0; only counter 0 is used. At most one region of a request may
 * have this flag.
 */
#define PROFIL_REGION_CATCH_ALL		(1U << 0)

/**
 * struct profil_region - a range of text and the counters it is counted in.
 * @buf:      address of the counters in the caller's memory. Any alignment;
 *            @buf + @size must not wrap.
 * @size:     length of the counters in bytes. A remainder shorter than a counter
 *            is never written. 0: the region counts nothing.
 * @offset:   pc of counter 0 (subtracted from each pc).
 * @pc_start: lowest pc counted; 0 means @offset. Not below @offset.
 * @pc_end:   first pc that is no longer counted; above the lowest pc counted. 0:
 *            the region ends with its last whole counter. Pcs beyond that counter
 *            are never counted.
 * @limit:    largest value of a counter; 0: the largest that its width holds.
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
	 * 1000 per second of CPU time. EACCES if restrict_fastprof is set, or was
	 * when the module was loaded; if timers have no resolution of 1 ms (a
	 * kernel with highres=off); or if the module is not attached to context
	 * switches.
	 */
	PROFIL_RATE_FAST	= 2
};

/* Charge user ticks only. System ticks change no field. */
#define PROFIL_USER_ONLY		(1U << 0)
/* PROFIL_RATE_FAST only, without effect: the distance between samples is random. */
#define PROFIL_RANDOM			(1U << 1)
/* The calling thread's own profile: it takes this thread's ticks only. */
#define PROFIL_THREAD			(1U << 2)
/*
 * Sample arrays with stacks only: time in which a thread does not run has samples, too.
 * They are in the stream of stacks alone. Each thread has one in each period of such time,
 * at a random place. It counts from the start of the profile, or of the thread if that is
 * later. In another process that shares the memory, the wait at the start does not count.
 * PROFIL_USER_ONLY does not leave these samples out.
 */
#define PROFIL_WAITS			(1U << 3)
/*
 * Sample arrays only, for processes that may end soon: the start brings in one page of the
 * array, and each 16 samples one more, up to those that @buf of struct profil_samples names.
 * The first stacks allocate most memory of stacks.
 */
#define PROFIL_LAZY			(1U << 4)
/*
 * The profile of a fork child is off, as after a stop. So no tick of the child writes to
 * @buf, whatever the child has mapped there: see MADV_DONTFORK in madvise(2).
 */
#define PROFIL_DONTFORK			(1U << 5)

/* Maximum number of threads' profiles in an address space. */
#define PROFIL_THREADS_MAX		64

/* The kind of the profile, also after it has stopped. */
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
	/* Switched off by the administrator; or a fork child got no profile. */
	PROFIL_STATE_DENIED	= 5
};

/**
 * struct profil_status - state and counts of a profile; also the page's layout.
 * @size:      in: sizeof(struct profil_status). Out, and in the page: bytes that
 *             the kernel has filled in.
 * @mode:      enum profil_mode.
 * @state:     enum profil_state.
 * @rate:      enum profil_rate.
 * @flags:     PROFIL_USER_ONLY, PROFIL_RANDOM and so on, as requested.
 * @tag:       tag of the request that started it.
 * @period_ns: mean CPU time between samples in nanoseconds: 10000000 for
 *             PROFIL_RATE_CLOCK on most kernels.
 * @ticks:     ticks charged to this profile, after the rate's selection.
 * @counted:   ticks that a region counted or the sample array stored.
 * @outside:   ticks in no region.
 * @dropped:   ticks lost: memory not writable, no room to defer the update, or more
 *             than 10000 of a thread due at once.
 * @deferred:  updates that had to wait for a page. After its wait, each is also in
 *             @counted or @dropped.
 * @saturated: ticks in @counted whose counter was at its limit and did not change.
 * @faults:    updates given up because of a memory fault.
 * @nsamples:  samples in the array since the last call that started or stopped
 *             a profile; in a fork child, including its parent's. Includes dropped
 *             samples: their elements keep what the array had before. Excludes those
 *             of a thread that were due at once and dropped together: beyond 10000,
 *             or behind one that found no room to be deferred.
 * @stack_bytes: bytes of whole records in the stream of stacks.
 * @stack_records: number of these records, including those of thread names.
 * @stackless: ticks of a profile with stacks that are in no record. Reasons: the
 *             thread still had ticks from another place without a record; too
 *             many threads had such ticks; the thread was exiting; the stream was
 *             full, or its memory could not be written.
 * @waits:     with PROFIL_WAITS: samples of waits in records.
 * @waits_lost: with PROFIL_WAITS: samples of waits that are in no record, for reasons as
 *             above. A wait that could not be noted when it began counts as one.
 *
 * Counts start at 0 with each profile and in each fork child. In the report of a
 * call that has stopped or replaced a profile, ticks == counted + outside +
 * dropped. Until then, ticks may be ahead: while the profile runs, and while updates
 * wait after it has stopped by itself. Likewise, with stacks, ticks == stackless + the sum
 * of the counts of all records without PROFIL_STACK_WAIT, and waits == that of the others.
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
	__aligned_u64	waits;
	__aligned_u64	waits_lost;
};

#define PROFIL_STATUS_SIZE_MIN		24	/* up to @tag */

/**
 * struct profil_histogram - start counting in regions.
 * @size:        sizeof(struct profil_histogram).
 * @rate:        enum profil_rate.
 * @flags:       PROFIL_USER_ONLY, PROFIL_RANDOM, PROFIL_THREAD, PROFIL_DONTFORK.
 * @tag:         stored and reported by struct profil_status; no other meaning.
 * @regions:     address of an array of struct profil_region.
 * @nregions:    its length; 0 is EINVAL, above the module parameter max_regions
 *               E2BIG.
 * @region_size: sizeof(struct profil_region).
 * @page:        out: address of the struct profil_status page. It does not move:
 *               mremap() of the page fails with EINVAL.
 * @last:        0, or the address of a struct profil_status whose size is set. It
 *               gets the final report of the profile that this one replaces.
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
 * @flags:    PROFIL_USER_ONLY, PROFIL_RANDOM, PROFIL_THREAD, PROFIL_WAITS, PROFIL_LAZY,
 *            PROFIL_DONTFORK.
 * @tag:      as in struct profil_histogram.
 * @buf:      address of the array. Any alignment. The kernel brings in pages ahead
 *            of the one that it stores in: room for 10 s of CPU time per thread,
 *            at most 1 MiB. It takes the number of threads of the process, or 4 if
 *            that is more, but at most the number of CPUs. With PROFIL_THREAD, it
 *            takes one thread. Zero the array first: a dropped sample, or a part
 *            of it, leaves what the array had.
 * @nsamples: length of the array in elements. The profile stops when it is full.
 * @width:    bytes of an element: 4 (low half of the pc) or 8.
 * @reserved: 0.
 * @page:     out: as in struct profil_histogram.
 * @last:     as in struct profil_histogram.
 * @stacks:   address of memory for the stream of call stacks, which
 *            <linux/profil_stacks.h> describes; 0: no stacks. Must be 0 with
 *            PROFIL_THREAD. The process's threads write the stream on their way
 *            to user mode. The array has all samples even without the stream. When
 *            the stream is full, or cannot be written, it ends, and the array
 *            continues.
 * @stacks_size: length of the stream in bytes, at least PROFIL_STACKS_SIZE_MIN; 0
 *            without stacks. Zero the memory first: a 0 ends the stream.
 * @first_sample: number by which the stream refers to the array's element 0; 0
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

/* Shortest stream of stacks. */
#define PROFIL_STACKS_SIZE_MIN		4096

/**
 * struct profil_object - the mapping of an executable or a library.
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
 * struct profil_object_table - where code is, for walking stacks.
 * @size:        sizeof(struct profil_object_table).
 * @nobjects:    length of @objects; 0: no objects.
 * @object_size: sizeof(struct profil_object).
 * @reserved:    0.
 * @objects:     address of an array of struct profil_object, by ascending
 *               address, without overlaps. It is copied.
 *
 * The table belongs to the address space's profile: it survives starts and stops,
 * and a fork child inherits it. A wrong table makes stacks short or wrong, and does
 * no other harm.
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
 * struct profil_thread - names the profile of a thread of this process.
 * @size:     sizeof(struct profil_thread).
 * @reserved: 0.
 * @page:     address of the profile's page, as the start reported it. The process's
 *            profile can be named in the same way. 0: the calling thread's profile.
 * @status:   address of a struct profil_status whose size is set, for the report.
 */
struct profil_thread {
	__u32		size;
	__u32		reserved;
	__aligned_u64	page;
	__aligned_u64	status;
};

#define PROFIL_THREAD_SIZE_MIN		24	/* all of it */

/**
 * struct profil_path - the path of the file that is mapped at an address.
 * @size:    sizeof(struct profil_path).
 * @bytes:   room at @path, at most 4096.
 * @address: an address in this process's memory.
 * @path:    address of the room. out: the path and a zero, as readlink(2) of
 *           /proc/self/exe has it for the program: with " (deleted)" if the file has no
 *           name any more.
 */
struct profil_path {
	__u32		size;
	__u32		bytes;
	__aligned_u64	address;
	__aligned_u64	path;
};

#define PROFIL_PATH_SIZE_MIN		24	/* all of it */

/**
 * struct profil_features - what this kernel and module can do.
 * @size:         in: sizeof(struct profil_features); out: bytes that the kernel
 *                has filled in.
 * @rates:        bit (1 << enum profil_rate) for each rate that is granted now.
 * @flags:        PROFIL_* request flags known; PROFIL_WAITS only if it is possible.
 * @region_flags: PROFIL_REGION_* flags known.
 * @widths:       sum of the counter widths that regions may have.
 * @indexes:      bit (1 << enum profil_index) for each index rule.
 * @limits:       bit (1 << enum profil_limit).
 * @faults:       bit (1 << enum profil_fault).
 * @modes:        bit (1 << enum profil_mode) for each mode except NONE.
 * @max_regions:  most regions in one request.
 * @period_ns:    by enum profil_rate: mean CPU time between samples.
 * @stacks:       PROFIL_STACKS_VERSION of the stream of stacks that a sample array
 *                may have; 0: this machine has no stacks, or the administrator has
 *                switched them off.
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

/* The device node that udev makes. */
#define PROFIL_DEVICE	"/dev/profil"

/*
 * Commands. Errors of all: EFAULT, the argument is not readable or writable;
 * EINVAL and E2BIG, its size is wrong or it has unknown fields.
 *
 * PROFIL_IOC_FEATURES   struct profil_features: reports features; changes nothing.
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
 *                       allows, or the process has PROFIL_THREADS_MAX threads'
 *                       profiles;
 *                       EAGAIN: after mlockall(MCL_FUTURE), the page must be
 *                       locked, and RLIMIT_MEMLOCK is reached; ENOMEM; EINTR: a
 *                       fatal signal. On an error the running profile continues
 *                       unchanged, with two exceptions. After EINTR it may have
 *                       stopped. After EFAULT no profile runs if the memory of the
 *                       report became unwritable during the call.
 * PROFIL_IOC_SAMPLES    struct profil_samples: the same with a sample array.
 *                       EINVAL also: @stacks_size too small, @stacks on a machine
 *                       without stacks, or PROFIL_WAITS without @stacks. EOPNOTSUPP:
 *                       @stacks while the module parameter stacks is N; PROFIL_WAITS
 *                       if the module is not attached to context switches.
 * PROFIL_IOC_STOP       struct profil_status: stops the profile, if any, and
 *                       reports it. The page stays mapped.
 * PROFIL_IOC_OBJECTS    struct profil_object_table: replaces the table. EINVAL: not
 *                       ascending, @start not below @end, a reserved field set,
 *                       a machine without stacks; E2BIG: too many objects;
 *                       EFAULT: @objects not readable. If there is no profile, the
 *                       call makes one, so EDQUOT, EAGAIN, ENOMEM, EINTR, EPERM and
 *                       EACCES are as above. On an error the old table stays.
 * PROFIL_IOC_THREAD_STATUS, PROFIL_IOC_THREAD_STOP
 *                       struct profil_thread: as PROFIL_IOC_STATUS and _STOP for
 *                       a thread's own profile; any thread of the process may call.
 *                       EINVAL also: no profile's page begins at @page; EFAULT:
 *                       @status is not readable or writable; EINTR.
 * PROFIL_IOC_PATH       struct profil_path: reports the path; changes nothing. ENOENT: no
 *                       file is mapped there; ENAMETOOLONG: @bytes is too small for it;
 *                       EINVAL also: @bytes is more than 4096; EFAULT: @path is not
 *                       writable; ENOMEM; EINTR.
 *
 * The numbers have no size and no direction, so a structure can grow.
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
#define PROFIL_IOC_PATH		_IO(PROFIL_IOC_MAGIC, 8)

#endif /* _UAPI_LINUX_PROFIL_H */
