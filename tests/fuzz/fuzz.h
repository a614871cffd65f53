/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names the file that inputs are written to, in a directory that is removed at the end. */
extern char fuzz_directory[], fuzz_path[];
void fuzz_name(const char *name);
#define FUZZ_FILE(name)							\
	__attribute__((constructor)) static void name_file(void) { fuzz_name(name); }

#endif
