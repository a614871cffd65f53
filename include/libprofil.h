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

#include <linux/profil.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whose rules a profile follows: the tag of struct profil_status. 0 is a
 * profile that was not started by this library.
 */
enum profil_dialect {
	PROFIL_DIALECT_NONE		= 0,
	PROFIL_DIALECT_GLIBC_PROFIL	= 1,
	PROFIL_DIALECT_GLIBC_SPROFIL	= 2,
	PROFIL_DIALECT_SOLARIS		= 3,
	PROFIL_DIALECT_PCSAMPLE		= 4,	/* has no histogram rules */
	PROFIL_DIALECT_BSD		= 5,
	PROFIL_DIALECT_IRIX		= 6,
	PROFIL_DIALECT_HPUX		= 7,
	PROFIL_DIALECT_TRU64		= 8,	/* profil(buffer, ...) */
	PROFIL_DIALECT_TRU64_RANGES	= 9,	/* profil(args, n, -1, flags) */
	PROFIL_DIALECT_AIX		= 10,	/* profil(ShortBuffer, ...) */
	PROFIL_DIALECT_AIX_RANGES	= 11,	/* profil(ProfBuffer, -1, 0, 0) */
	PROFIL_DIALECT_BSD_MAN		= 12	/* with LIBPROFIL_BSD_MAN */
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

/*
 * pcsample(2), for programs that are not otherwise Solaris's: stores the pc of
 * each clock tick in an array, until it is full.
 */
long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif
