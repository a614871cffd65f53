// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ticks hit a function by chance: n samples have a standard deviation of at most
 * sqrt(n). A change of less than two of them, of both sides together, gets a "~".
 */
#include "report/change.h"
#include "content/totals.h"

#include <math.h>

/* Seconds of a sample; 0 without samples. */
static double period(const struct profile *profile)
{
	return profile->samples ? (double)profile->ns / NS_PER_SECOND /
				  (double)profile->samples : 0;
}

/* Mean of the runs. */
static double seconds(const struct profile *profile, uint64_t ns)
{
	return (double)ns / NS_PER_SECOND / profile->runs;
}

/* The variance of @mean seconds. */
static double variance(const struct profile *profile, double mean)
{
	return mean * period(profile) / profile->runs;
}

static double share(const struct profile *profile, double mean)
{
	double all = seconds(profile, profile->ns);

	return all > 0 ? mean / all : 0;
}

/* The variance of a share: of a part of that many samples. */
static double share_variance(const struct profile *profile, double part)
{
	return profile->samples ? part * (1 - part) / (double)profile->samples : 0;
}

/* The mark of @difference if @variance can explain it. */
static char mark(double difference, double variance)
{
	return difference * difference <= 4 * variance ? '~' : ' ';
}

struct change change_make(const struct report *report, uint64_t before, uint64_t after)
{
	return (struct change){ seconds(report->before->profile, before),
				seconds(report->profile, after) };
}

uint64_t change_distance(const struct change *change)
{
	return (uint64_t)llround(NS_PER_SECOND * fabs(change->after - change->before));
}

void change_write_head(FILE *out)
{
	fputs("  before    after   change     seconds     change   ", out);
}

void change_write(const struct change *change, const struct report *report,
		  FILE *out)
{
	const struct profile *old = report->before->profile, *new = report->profile;
	double before = share(old, change->before), after = share(new, change->after);
	double difference = change->after - change->before;

	fprintf(out, "%7.2f%% %7.2f%% %+8.2f%c %10.3f %+10.3f%c  ", 100 * before,
		100 * after, 100 * (after - before),
		mark(after - before, share_variance(old, before) +
				     share_variance(new, after)),
		change->after, difference,
		mark(difference, variance(old, change->before) +
				 variance(new, change->after)));
}

static void write_runs(const struct profile *profile, FILE *out)
{
	if (profile->runs > 1)
		fprintf(out, " (mean of %u runs)", profile->runs);
}

void change_write_sum(const struct report *report, FILE *out)
{
	const struct profile *old = report->before->profile, *new = report->profile;
	double before = seconds(old, old->ns), after = seconds(new, new->ns);

	fprintf(out, "\n~ within 2 standard deviations: this can be chance\n"
		"%.3f s of %s", after, totals_time(new));
	write_runs(new, out);
	fprintf(out, ", %.3f s before", before);
	write_runs(old, out);
	fprintf(out, ": %+.3f s", after - before);
	if (before > 0)
		fprintf(out, ", %+.2f%%", 100 * (after - before) / before);
	fputc('\n', out);
}
