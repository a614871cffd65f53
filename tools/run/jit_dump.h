/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The format in which virtual machines write the code that they have generated, for perf:
 * tools/perf/Documentation/jitdump-specification.txt in the kernel's tree.
 */
#ifndef JIT_DUMP_H
#define JIT_DUMP_H

#include <stdio.h>

/*
 * Writes the names of @dump as lines of a perf-PID.map, in the same order. Stops at the
 * first record that is cut, damaged or a hole. Where code was moved is not read: nobody
 * writes it.
 */
void jit_dump_copy(FILE *dump, FILE *map);

#endif
