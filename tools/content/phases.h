/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects samples by phase, and sums them up. */
#ifndef PHASES_H
#define PHASES_H

#include "content/name_pattern.h"
#include "profile/profile.h"

/*
 * Keeps only the samples of phases that match, and counts again. NULL: all samples. Returns
 * false, after a message, if none are left.
 */
bool phases_select(struct profile *profile, const struct name_pattern *pattern);

typedef void phases_visitor(void *context, uint32_t name, const struct moment *part);

/* Visits all shown samples; those of no phase with PHASE_NONE. */
void phases_visit(const struct profile *profile, phases_visitor *visit, void *context);

#endif
