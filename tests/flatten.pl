#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes one flat stream of TAP from what test programs print: several streams in a
# row, KTAP with results in results, cmocka's skips. A result that contains others is
# left out, unless it failed and they did not. These become failures: a plan that is
# missing or not kept, a bailout, a TODO that fails, and no results at all.

use strict;
use warnings;

$| = 1;
my ($count, $failed) = (0, 0);
# By indentation: results so far, planned results, and $failed after the last one.
my (%seen, %plan, %failed_at);

sub result
{
	my ($ok, $name) = @_;
	$name =~ s/#(\s*TODO)/$1/gi;
	$failed++ unless $ok;
	print $ok ? "" : "not ", "ok ", ++$count, " - $name\n";
}

# close_groups LEVEL: the groups at this indentation and all deeper ones are complete.
sub close_groups
{
	for my $level (grep { $_ >= $_[0] } sort { $b <=> $a } keys %seen) {
		my ($seen, $plan) = (delete $seen{$level}, delete $plan{$level});
		if (!defined $plan) {
			result(0, "no plan for $seen results");
		} elsif ($plan != $seen) {
			result(0, "planned $plan results, got $seen");
		}
	}
}

sub plan
{
	my ($level, $number, $reason) = @_;
	# A plan after results is theirs; else it starts a group.
	if ($seen{$level} && !defined $plan{$level}) {
		$plan{$level} = $number;
		return;
	}
	close_groups($level);
	($plan{$level}, $seen{$level}) = ($number, 0);
	$failed_at{$level} = $failed;
	result(1, "all tests # SKIP $reason") if $number == 0 && $reason;
}

sub test
{
	my ($level, $ok, $name) = @_;
	if (grep { $_ > $level } keys %seen) {
		close_groups($level + 1);
		result(0, "$name fails, but nothing in it does")
			if !$ok && $failed == ($failed_at{$level} // 0);
	} elsif ($name =~ /^#\s*SKIP\s+(.*)/i) {
		# cmocka writes "not ok N # SKIP NAME".
		result(1, "$1 # SKIP $1");
	} else {
		result($ok, $name);
	}
	# After a complete group, this result begins one whose plan follows.
	if (defined $plan{$level} && $seen{$level} == $plan{$level}) {
		delete $plan{$level};
		$seen{$level} = 0;
	}
	$seen{$level}++;
	$failed_at{$level} = $failed;
}

while (<STDIN>) {
	s/\r?\n?$//;
	s/^( *)//;
	my $level = length $1;
	if (/^K?TAP version /) {
		close_groups($level);
		$failed_at{$level} = $failed;
	} elsif (/^1\.\.(\d+)(?:\s*#\s*SKIP\s*(.*))?/i) {
		plan($level, $1, $2);
	} elsif (/^(not )?ok\b *\d* *-? *(.*)/) {
		test($level, !$1, $2);
	} elsif (/^Bail out!/) {
		result(0, $_);
	} elsif (length) {
		print /^#/ ? "$_\n" : "# $_\n";
	}
}
close_groups(0);
result(0, "no results") unless $count;
print "1..$count\n";
