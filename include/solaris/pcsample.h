/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBPROFIL_SOLARIS_PCSAMPLE_H
#define LIBPROFIL_SOLARIS_PCSAMPLE_H

#include <libprofil_dialect.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif
