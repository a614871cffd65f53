/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks that the interface's layout and numbers never change. Every kind of caller
 * includes this: 64-bit, 32-bit, with libc and without.
 */
#ifndef SELFTESTS_ABI_H
#define SELFTESTS_ABI_H

#include <linux/profil.h>

#define AT(type, field, offset)						\
	_Static_assert(__builtin_offsetof(struct type, field) == (offset), \
		       #type "." #field)
#define SIZE_IS(type, size)						\
	_Static_assert(sizeof(struct type) == (size), #type)

AT(profil_region, buf, 0);
AT(profil_region, size, 8);
AT(profil_region, offset, 16);
AT(profil_region, pc_start, 24);
AT(profil_region, pc_end, 32);
AT(profil_region, limit, 40);
AT(profil_region, scale, 48);
AT(profil_region, width, 52);
AT(profil_region, index, 53);
AT(profil_region, at_limit, 54);
AT(profil_region, on_fault, 55);
AT(profil_region, flags, 56);
AT(profil_region, reserved, 60);
SIZE_IS(profil_region, 64);

AT(profil_status, size, 0);
AT(profil_status, mode, 4);
AT(profil_status, state, 8);
AT(profil_status, rate, 12);
AT(profil_status, flags, 16);
AT(profil_status, tag, 20);
AT(profil_status, period_ns, 24);
AT(profil_status, ticks, 32);
AT(profil_status, counted, 40);
AT(profil_status, outside, 48);
AT(profil_status, dropped, 56);
AT(profil_status, deferred, 64);
AT(profil_status, saturated, 72);
AT(profil_status, faults, 80);
AT(profil_status, nsamples, 88);
AT(profil_status, stack_bytes, 96);
AT(profil_status, stack_records, 104);
AT(profil_status, stackless, 112);
AT(profil_status, waits, 120);
AT(profil_status, waits_lost, 128);
SIZE_IS(profil_status, 136);

AT(profil_histogram, size, 0);
AT(profil_histogram, rate, 4);
AT(profil_histogram, flags, 8);
AT(profil_histogram, tag, 12);
AT(profil_histogram, regions, 16);
AT(profil_histogram, nregions, 24);
AT(profil_histogram, region_size, 28);
AT(profil_histogram, page, 32);
AT(profil_histogram, last, 40);
SIZE_IS(profil_histogram, 48);

AT(profil_samples, size, 0);
AT(profil_samples, rate, 4);
AT(profil_samples, flags, 8);
AT(profil_samples, tag, 12);
AT(profil_samples, buf, 16);
AT(profil_samples, nsamples, 24);
AT(profil_samples, width, 32);
AT(profil_samples, reserved, 36);
AT(profil_samples, page, 40);
AT(profil_samples, last, 48);
AT(profil_samples, stacks, 56);
AT(profil_samples, stacks_size, 64);
AT(profil_samples, first_sample, 72);
SIZE_IS(profil_samples, 80);

AT(profil_object, start, 0);
AT(profil_object, end, 8);
AT(profil_object, eh_frame_hdr, 16);
SIZE_IS(profil_object, 24);

AT(profil_object_table, size, 0);
AT(profil_object_table, nobjects, 4);
AT(profil_object_table, object_size, 8);
AT(profil_object_table, reserved, 12);
AT(profil_object_table, objects, 16);
SIZE_IS(profil_object_table, 24);

AT(profil_thread, size, 0);
AT(profil_thread, reserved, 4);
AT(profil_thread, page, 8);
AT(profil_thread, status, 16);
SIZE_IS(profil_thread, 24);

AT(profil_features, size, 0);
AT(profil_features, rates, 4);
AT(profil_features, flags, 8);
AT(profil_features, region_flags, 12);
AT(profil_features, widths, 16);
AT(profil_features, indexes, 20);
AT(profil_features, limits, 24);
AT(profil_features, faults, 28);
AT(profil_features, modes, 32);
AT(profil_features, max_regions, 36);
AT(profil_features, period_ns, 40);
AT(profil_features, stacks, 64);
AT(profil_features, reserved, 68);
SIZE_IS(profil_features, 72);

/* The fields that each kernel has, and each caller must give. */
_Static_assert(PROFIL_REGION_SIZE_MIN == __builtin_offsetof(struct profil_region, flags),
	       "PROFIL_REGION_SIZE_MIN");
_Static_assert(PROFIL_STATUS_SIZE_MIN == __builtin_offsetof(struct profil_status, period_ns),
	       "PROFIL_STATUS_SIZE_MIN");
_Static_assert(PROFIL_HISTOGRAM_SIZE_MIN == __builtin_offsetof(struct profil_histogram, page),
	       "PROFIL_HISTOGRAM_SIZE_MIN");
_Static_assert(PROFIL_SAMPLES_SIZE_MIN == __builtin_offsetof(struct profil_samples, page),
	       "PROFIL_SAMPLES_SIZE_MIN");
_Static_assert(PROFIL_FEATURES_SIZE_MIN == __builtin_offsetof(struct profil_features, period_ns),
	       "PROFIL_FEATURES_SIZE_MIN");
_Static_assert(PROFIL_THREAD_SIZE_MIN == sizeof(struct profil_thread),
	       "PROFIL_THREAD_SIZE_MIN");
_Static_assert(PROFIL_SIZE_MAX == 4096, "PROFIL_SIZE_MAX");

_Static_assert(PROFIL_IOC_FEATURES == 0xbb00, "PROFIL_IOC_FEATURES");
_Static_assert(PROFIL_IOC_STATUS == 0xbb01, "PROFIL_IOC_STATUS");
_Static_assert(PROFIL_IOC_HISTOGRAM == 0xbb02, "PROFIL_IOC_HISTOGRAM");
_Static_assert(PROFIL_IOC_SAMPLES == 0xbb03, "PROFIL_IOC_SAMPLES");
_Static_assert(PROFIL_IOC_STOP == 0xbb04, "PROFIL_IOC_STOP");
_Static_assert(PROFIL_IOC_OBJECTS == 0xbb05, "PROFIL_IOC_OBJECTS");
_Static_assert(PROFIL_IOC_THREAD_STATUS == 0xbb06, "PROFIL_IOC_THREAD_STATUS");
_Static_assert(PROFIL_IOC_THREAD_STOP == 0xbb07, "PROFIL_IOC_THREAD_STOP");

#endif /* SELFTESTS_ABI_H */
