/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tru64 UNIX, Digital UNIX, OSF/1: profil() and its struct profil_args are in
 * <sys/resource.h>, getsysinfo() is in <sys/sysinfo.h>.
 *
 * The man page's struct profil_args has a field that the system's header lacks.
 * Programs were compiled with the header, so its structure is the default; define
 * LIBPROFIL_TRU64_ARGS5 for the man page's.
 */
#ifndef LIBPROFIL_DIALECT_TRU64
#define LIBPROFIL_DIALECT_TRU64

#ifdef __cplusplus
extern "C" {
#endif

/* The header's: lowpc belongs to the first counter. */
struct profil_args4 {
	unsigned int	*buffer;	/* counters */
	void		*highpc;	/* last pc, in the last counter */
	void		*lowpc;		/* first pc */
	unsigned long	scale;		/* 16.16 fixed point */
};

/* The man page's: offset belongs to the first counter. */
struct profil_args5 {
	unsigned int	*buffer;
	void		*highpc;
	void		*lowpc;
	void		*offset;
	unsigned int	scale;
};

#define PROFIL_MAX		64	/* most address ranges */

#define PROFIL_SCALE_TOTAL	2	/* every tick in the first counter */
#define PROFIL_SCALE_STOP	0
#define PROFIL_SCALE_STOP_1	1

/*
 * Profile all threads. The call starts or stops the process's profile, and ends a
 * profile of the calling thread. See libprofil(7).
 */
#define PROFIL_FLAGS_ALL_THREADS	1

#ifdef LIBPROFIL_TRU64_ARGS5
#define profil_args		profil_args5
#define profil_tru64_either	profil_tru64_args5
#else
#define profil_args		profil_args4
#define profil_tru64_either	profil_tru64
#endif

/*
 * profil() is void and cannot report failure. These return 0, or -1 with errno;
 * see profil(2).
 */
int profil_tru64(void *buffer, unsigned int size, void *offset,
		 unsigned long scale);
int profil_tru64_args5(void *buffer, unsigned int size, void *offset,
		       unsigned long scale);

#ifndef __cplusplus

/*
 * Both forms share one name: the first argument may point to counters or to
 * address ranges; the third may be a pointer, an integer, or -1.
 *
 * The macro widens integers to pointer width, so -1 of any integer type works. It
 * leaves other types alone, but rejects structures. It expands to a call of the
 * same name, so calls of a structure's member named profil still work.
 */
typedef union {
	void		*address;
	/* gcc takes any function for @address; clang needs this member. */
#if defined(__clang__) && __STDC_VERSION__ < 202311L
	void		(*function)();
#else
	void		(*function)(void);
#endif
	long		integer;
	unsigned long	number;
} profil_offset __attribute__((__transparent_union__));

typedef union {
	void			*any;
	unsigned short		*counters;
	struct profil_args	*args;
} profil_buffer __attribute__((__transparent_union__));

static __inline__ void profil(profil_buffer buffer, unsigned int size,
			      profil_offset offset, unsigned int scale)
{
	profil_tru64_either(buffer.any, size, offset.address, scale);
}

#define profil(buffer, size, offset, scale)				\
	profil(buffer, size, 1 ? (offset) : 0L, scale)

#endif

#ifdef __cplusplus
}

/* In C++ both forms are functions: the original one, and a template for the rest. */
static inline void profil(unsigned short *short_buffer, unsigned int buffer_size,
			  void *offset, unsigned int scale)
{
	profil_tru64_either(short_buffer, buffer_size, offset, scale);
}

template <class Buffer, class Offset>
static inline void profil(Buffer buffer, unsigned int size, Offset offset,
			  unsigned long scale)
{
	profil_tru64_either((void *)(unsigned long)buffer, size,
			       (void *)(unsigned long)offset, scale);
}
#endif

#endif
