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

#include <libprofil/dialects.h>
#include <linux/profil.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whose rules a profile follows: the tag of struct profil_status. NONE is a profile
 * that was not started by this library; GLIBC_ are the default's calls; PCSAMPLE is
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

/*
 * pcsample(2), for programs that are not otherwise Solaris's: stores the pc of
 * each clock tick in an array, until it is full.
 */
long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif
