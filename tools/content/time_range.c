// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/time_range.h"
#include "common/message.h"
#include "profile/places.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool time_range_parse(struct time_point *point, const char *text)
{
	char *end;

	/* strtod() would take blanks, "nan" and hexadecimal numbers too. */
	if (text[strspn(text, "0123456789.%")] || text[0] == '%')
		return false;
	point->value = strtod(text, &end);
	point->is_share = *end == '%';
	if (point->is_share) {
		point->value /= 100;
		end++;
	}
	point->given = true;
	return end > text && !*end && (!point->is_share || point->value <= 1);
}

/* The time of the last sample, or of the last end of a process. */
static uint64_t end_of(const struct profile *profile)
{
	const struct stacks *stacks = &profile->stacks;
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < stacks->nmoments; i++) {
		const struct moment *moment = &stacks->moments[i];

		if (moment->time_ns + moment->span_ns > end)
			end = moment->time_ns + moment->span_ns;
	}
	for (i = 0; i < profile->nprocesses; i++)
		if (profile->processes[i].ended_ns > end)
			end = profile->processes[i].ended_ns;
	return end;
}

static uint64_t time_of(const struct profile *profile, const struct time_point *point)
{
	uint64_t start = profile_first(profile)->started_ns;
	double ns = 1e9;

	if (point->is_share)
		ns = (double)(end_of(profile) - start) + 1;
	ns *= point->value;
	return ns < (double)(UINT64_MAX - start) ? start + (uint64_t)ns : UINT64_MAX;
}

/* How many samples of @moment come before @time. They lie evenly in its span. */
static uint32_t samples_before(const struct moment *moment, uint64_t time)
{
	if (time <= moment->time_ns)
		return 0;
	if (time - moment->time_ns > moment->span_ns)
		return moment->samples;
	return (uint32_t)ceil((double)(time - moment->time_ns) *
			      (moment->samples - 1) / (double)moment->span_ns);
}

/* Keeps the samples of @moment from @first on and before @last. */
static void cut(struct moment *moment, uint32_t first, uint32_t last)
{
	double gap = moment->samples > 1 ?
		(double)moment->span_ns / (moment->samples - 1) : 0;

	moment->time_ns += (uint64_t)(gap * first);
	moment->span_ns = (uint64_t)(gap * (last - first - 1));
	moment->samples = last - first;
}

bool time_range_cut(struct moment *moment, uint64_t from, uint64_t to)
{
	uint32_t first = samples_before(moment, from);
	uint32_t last = samples_before(moment, to);

	if (first >= last)
		return false;
	if (last - first < moment->samples)
		cut(moment, first, last);
	return true;
}

uint64_t time_range_next(const struct moment *moment, uint64_t from)
{
	uint32_t before = samples_before(moment, from);
	struct moment rest = *moment;

	if (before >= moment->samples)
		return UINT64_MAX;
	cut(&rest, before, moment->samples);
	return rest.time_ns > from ? rest.time_ns : from;
}

static void select_moments(struct stacks *stacks, uint64_t from, uint64_t to)
{
	size_t i, n = 0;

	for (i = 0; i < stacks->nmoments; i++) {
		struct moment moment = stacks->moments[i];

		if (time_range_cut(&moment, from, to))
			stacks->moments[n++] = moment;
	}
	stacks->nmoments = n;
}

bool time_range_need(struct profile *profile, const char *options_need)
{
	const struct stacks *stacks = &profile->stacks;
	uint64_t timed = 0, samples = 0;
	size_t i;

	for (i = 0; i < stacks->nmoments; i++)
		timed += stacks->moments[i].samples;
	for (i = 0; i < stacks->ncounts; i++)
		samples += stacks->counts[i].samples;
	if (samples && !timed) {
		warn("%s profiles with call stacks", options_need);
		return false;
	}
	if (timed < samples) {
		warn("%" PRIu64 " samples without a call stack have no time: they are left out",
		     samples - timed);
		places_count_moments(profile);
	}
	return true;
}

bool time_range_select(struct profile *profile, const struct time_range *range)
{
	uint64_t from = 0, to = UINT64_MAX;

	if (!range->from.given && !range->to.given)
		return true;
	if (!time_range_need(profile, "--from and --to need"))
		return false;
	if (range->from.given)
		from = time_of(profile, &range->from);
	if (range->to.given)
		to = time_of(profile, &range->to);
	select_moments(&profile->stacks, from, to);
	places_count_moments(profile);
	if (!profile->samples)
		warn("no samples match --from and --to");
	return profile->samples;
}
