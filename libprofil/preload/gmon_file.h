/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gmon.out that libc has just written. */
#ifndef PRELOAD_GMON_FILE_H
#define PRELOAD_GMON_FILE_H

#include "gmon_out.h"

/*
 * Puts @histogram in place of those in the file, whose geometry it must have;
 * arcs and everything else stay. 0 or an errno; EBADMSG: not such a file.
 */
int gmon_file_replace(const struct gmon_out_histogram *histogram);

#endif
