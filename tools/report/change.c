// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/change.h"
#include "content/totals.h"

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

uint64_t change_distance(const struct change *change)
{
	return change->before > change->after ? change->before - change->after :
						change->after - change->before;
}

void change_write_head(FILE *out)
{
	fputs("  before    after   change    seconds     change  ", out);
}

void change_write(const struct change *change, const struct report *report,
		  FILE *out)
{
	double before = totals_percent(change->before, report->before->profile->ns);
	double after = totals_percent(change->after, report->profile->ns);

	fprintf(out, "%7.2f%% %7.2f%% %+8.2f %10.3f %+10.3f  ", before, after,
		after - before, seconds(change->after),
		seconds(change->after) - seconds(change->before));
}

void change_write_sum(const struct report *report, FILE *out)
{
	double before = seconds(report->before->profile->ns);
	double after = seconds(report->profile->ns);

	fprintf(out, "\n%.3f s of CPU time, %.3f s before: %+.3f s", after, before,
		after - before);
	if (before > 0)
		fprintf(out, ", %+.2f%%", 100 * (after - before) / before);
	fputc('\n', out);
}
