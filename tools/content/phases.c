// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/phases.h"
#include "common/memory.h"
#include "common/message.h"
#include "content/time_range.h"
#include "profile/places.h"
#include "profile/process_phases.h"
#include "profile/waits.h"

#include <stdlib.h>

static void visit_moment(const struct profile *profile, const struct moment *moment,
			 phases_visitor *visit, void *context)
{
	uint32_t process = profile->stacks.threads[moment->thread].process;
	uint64_t from = moment->time_ns, at = from, end;

	do {
		const struct phase *phase =
			process_phases_at(&profile->processes[process], at, &end);
		struct moment part = *moment;

		if (time_range_cut(&part, from, end))
			visit(context, phase ? phase->name : PHASE_NONE, &part);
		/*
		 * A long wait may go through many phases, with few samples. The next part
		 * begins where this one ends: the time of a sample is rounded.
		 */
		from = end;
		at = time_range_next(moment, end);
	} while (at != UINT64_MAX);
}

void phases_visit(const struct profile *profile, phases_visitor *visit, void *context)
{
	const struct stacks *stacks = &profile->stacks;
	size_t i;

	for (i = 0; i < stacks->nmoments; i++)
		if (waits_is_shown(profile, stacks->moments[i].node))
			visit_moment(profile, &stacks->moments[i], visit, context);
}

struct kept {
	const bool	*wanted;	/* for each name */
	struct moment	*moments;
	size_t		n, room;
};

static void keep_wanted(void *context, uint32_t name, const struct moment *part)
{
	struct kept *kept = context;

	if (name == PHASE_NONE || !kept->wanted[name])
		return;
	ensure(kept->moments, kept->n, kept->room);
	kept->moments[kept->n++] = *part;
}

/* The names that match. The caller frees it. */
static bool *find_wanted(const struct profile *profile, const struct name_pattern *pattern)
{
	bool *wanted = allocate(profile->nphase_names * sizeof(*wanted));
	size_t i;

	for (i = 0; i < profile->nphase_names; i++)
		wanted[i] = name_pattern_matches(pattern, profile->phase_names[i]);
	return wanted;
}

bool phases_select(struct profile *profile, const struct name_pattern *pattern)
{
	struct stacks *stacks = &profile->stacks;
	struct kept kept = { 0 };
	bool *wanted;
	size_t i;

	if (!pattern)
		return true;
	if (!time_range_need(profile, "--phase needs"))
		return false;
	kept.wanted = wanted = find_wanted(profile, pattern);
	for (i = 0; i < stacks->nmoments; i++)
		visit_moment(profile, &stacks->moments[i], keep_wanted, &kept);
	free(wanted);
	free(stacks->moments);
	stacks->moments = kept.moments;
	stacks->nmoments = kept.n;
	stacks->moments_room = kept.room;
	places_count_moments(profile);
	if (!profile->samples)
		warn(profile->nphase_names ? "no samples match --phase" :
		     "no program has named phases: see profil_phase(3)");
	return profile->samples;
}
