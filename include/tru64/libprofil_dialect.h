/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tru64 UNIX, Digital UNIX, OSF/1: profil() and what it needs for several
 * address ranges is in <sys/resource.h>, getsysinfo() in <sys/sysinfo.h>.
 *
 * The man page's struct profil_args has a field that the system's header did
 * not have. Programs were compiled with the header, so its structure is the
 * default; define LIBPROFIL_TRU64_ARGS5 for the man page's.
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
 * All threads, and not just the caller: the process's profile, also where the call
 * would be for the caller's own, which it ends. See libprofil(7).
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
 * profil() is void, so that a program cannot be told that it failed; these
 * return 0, or -1 with errno. See profil(2).
 */
int profil_tru64(void *buffer, unsigned int size, void *offset,
		 unsigned long scale);
int profil_tru64_args5(void *buffer, unsigned int size, void *offset,
		       unsigned long scale);

#ifndef __cplusplus

/*
 * Both forms under one name: the first argument may point to counters or to
 * address ranges, the third may be a pointer, an integer, or -1.
 *
 * The macro makes integers as wide as pointers, so that -1 is one whatever its
 * type; everything else it leaves as it is (but it takes no structure). What
 * it makes of a call is a call of the same name: a member profil with four
 * arguments is still that member.
 */
typedef union {
	void		*address;
	/* Any function: gcc takes one for the pointer, clang wants a member like it. */
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

/* Clock ticks per second, as an int. */
#define GSI_CLK_TCK	42

int getsysinfo(unsigned long op, void *buffer, unsigned long nbytes, int *start,
	       void *arg, ...) __asm__("getsysinfo_tru64");

#ifdef __cplusplus
}

/* In C++ both forms are functions: the first as it was, and whatever is called. */
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
