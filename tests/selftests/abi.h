/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks that the interface's layout and numbers never change, for callers of 64 and 32 bits.
 */
#ifndef SELFTESTS_ABI_H
#define SELFTESTS_ABI_H

#include <linux/profil.h>

#define AT(type, field, offset)						\
	_Static_assert(__builtin_offsetof(struct type, field) == (offset), \
		       #type "." #field)
#define AT2(type, a, at_a, b, at_b)	AT(type, a, at_a); AT(type, b, at_b)
#define AT4(type, a, at_a, b, at_b, c, at_c, d, at_d)			\
	AT2(type, a, at_a, b, at_b); AT2(type, c, at_c, d, at_d)
#define SIZE_IS(type, size)						\
	_Static_assert(sizeof(struct type) == (size), #type)

AT4(profil_region, buf, 0, size, 8, offset, 16, pc_start, 24);
AT4(profil_region, pc_end, 32, limit, 40, scale, 48, width, 52);
AT4(profil_region, index, 53, at_limit, 54, on_fault, 55, flags, 56);
AT(profil_region, reserved, 60); SIZE_IS(profil_region, 64);

AT4(profil_status, size, 0, mode, 4, state, 8, rate, 12);
AT4(profil_status, flags, 16, tag, 20, period_ns, 24, ticks, 32);
AT4(profil_status, counted, 40, outside, 48, dropped, 56, deferred, 64);
AT4(profil_status, saturated, 72, faults, 80, nsamples, 88, stack_bytes, 96);
AT4(profil_status, stack_records, 104, stackless, 112, waits, 120, waits_lost, 128);
SIZE_IS(profil_status, 136);

AT4(profil_histogram, size, 0, rate, 4, flags, 8, tag, 12);
AT4(profil_histogram, regions, 16, nregions, 24, region_size, 28, page, 32);
AT(profil_histogram, last, 40); SIZE_IS(profil_histogram, 48);

AT4(profil_samples, size, 0, rate, 4, flags, 8, tag, 12);
AT4(profil_samples, buf, 16, nsamples, 24, width, 32, reserved, 36);
AT4(profil_samples, page, 40, last, 48, stacks, 56, stacks_size, 64);
AT(profil_samples, first_sample, 72); SIZE_IS(profil_samples, 80);

AT2(profil_object, start, 0, end, 8);
AT(profil_object, eh_frame_hdr, 16); SIZE_IS(profil_object, 24);

AT4(profil_object_table, size, 0, nobjects, 4, object_size, 8, reserved, 12);
AT(profil_object_table, objects, 16); SIZE_IS(profil_object_table, 24);

AT4(profil_thread, size, 0, reserved, 4, page, 8, status, 16);
SIZE_IS(profil_thread, 24);

AT4(profil_path, size, 0, bytes, 4, address, 8, path, 16); SIZE_IS(profil_path, 24);

AT4(profil_features, size, 0, rates, 4, flags, 8, region_flags, 12);
AT4(profil_features, widths, 16, indexes, 20, limits, 24, faults, 28);
AT4(profil_features, modes, 32, max_regions, 36, period_ns, 40, stacks, 64);
AT(profil_features, reserved, 68); SIZE_IS(profil_features, 72);

/* The fields that each kernel has, and each caller must give. */
#define FIRST_OPTIONAL(NAME, type, field)				\
	AT(type, field, PROFIL_##NAME##_SIZE_MIN)
FIRST_OPTIONAL(REGION, profil_region, flags);
FIRST_OPTIONAL(STATUS, profil_status, period_ns);
FIRST_OPTIONAL(HISTOGRAM, profil_histogram, page);
FIRST_OPTIONAL(SAMPLES, profil_samples, page);
FIRST_OPTIONAL(FEATURES, profil_features, period_ns);
_Static_assert(PROFIL_THREAD_SIZE_MIN == sizeof(struct profil_thread), "PROFIL_THREAD_SIZE_MIN");
_Static_assert(PROFIL_PATH_SIZE_MIN == sizeof(struct profil_path), "PROFIL_PATH_SIZE_MIN");
_Static_assert(PROFIL_SIZE_MAX == 4096, "PROFIL_SIZE_MAX");

_Static_assert(PROFIL_IOC_FEATURES == 0xbb00, "PROFIL_IOC_FEATURES");
_Static_assert(PROFIL_IOC_STATUS == 0xbb01, "PROFIL_IOC_STATUS");
_Static_assert(PROFIL_IOC_HISTOGRAM == 0xbb02, "PROFIL_IOC_HISTOGRAM");
_Static_assert(PROFIL_IOC_SAMPLES == 0xbb03, "PROFIL_IOC_SAMPLES");
_Static_assert(PROFIL_IOC_STOP == 0xbb04, "PROFIL_IOC_STOP");
_Static_assert(PROFIL_IOC_OBJECTS == 0xbb05, "PROFIL_IOC_OBJECTS");
_Static_assert(PROFIL_IOC_THREAD_STATUS == 0xbb06, "PROFIL_IOC_THREAD_STATUS");
_Static_assert(PROFIL_IOC_THREAD_STOP == 0xbb07, "PROFIL_IOC_THREAD_STOP");
_Static_assert(PROFIL_IOC_PATH == 0xbb08, "PROFIL_IOC_PATH");

#endif /* SELFTESTS_ABI_H */
