/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edits the gmon.out that libc has just written. */
#ifndef PRELOAD_GMON_FILE_H
#define PRELOAD_GMON_FILE_H

#include "gmon_out.h"

/*
 * Replaces the histograms in the file by @histogram, which must have the same
 * geometry. Arcs and other records stay. 0 or an errno; EBADMSG: no gmon.out.
 */
int gmon_file_replace(const struct gmon_out_histogram *histogram);

#endif
