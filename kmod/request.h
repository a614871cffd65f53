/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_REQUEST_H
#define _PROFIL_REQUEST_H

#include <linux/types.h>

struct profil_histogram;
struct profil_run;
struct profil_samples;

struct profil_run *profil_request_histogram(const struct profil_histogram *req);
struct profil_run *profil_request_samples(const struct profil_samples *req);
u32 profil_request_regions(void);

#endif /* _PROFIL_REQUEST_H */
