#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/run.pl [-j JOBS] [-t SECONDS] SUITE...
#
# Runs suites of tests/suite.sh, two at a time, with the harness that prove uses.
# Prints what failed, what was skipped and why, and at last "N passed, N failed".
# A suite fails that hangs for SECONDS, breaks off, or exits with a status of its own;
# and so does a test that is skipped for a reason which tests/skips does not have.
# A guest that QEMU itself has failed gets a second try.

use strict;
use warnings;
use FindBin;
use Getopt::Std;
use TAP::Harness;

my %options = (j => 2, t => 3600);
getopts('j:t:', \%options) && @ARGV or die "usage: run.pl [-j JOBS] [-t SECONDS] SUITE...\n";
my $output = ($ENV{O} // "$FindBin::Bin/../build") . "/check";
my $suite_sh = "$FindBin::Bin/suite.sh";
my (%suites, %running, $last_progress, $faults);
$| = 1;

my @skips;
open my $skips, '<', "$FindBin::Bin/skips" or die "skips: $!\n";
/^([^#\s]\S*) (.+)/ and push @skips, [qr/^$1$/, qr/(^|: )$2$/] while <$skips>;

sub is_known_skip
{
	my ($suite, $test) = @_;
	my $said = $test->description . ": " . $test->explanation;
	$said =~ s/^(- )?//;
	return grep { $suite =~ $_->[0] && $said =~ $_->[1] } @skips;
}

sub log_of { return "$output/" . ($_[0] =~ s/:/-/gr) . $_[1] }

# What TAP::Harness shows results with: once as a whole, and once for each suite.
package Display;

sub new { my ($class, %self) = @_; return bless {%self}, $class }
sub prepare { }
sub verbosity { return 0 }
sub summary { }

sub open_test
{
	my ($self, $name, $parser) = @_;
	print "# $name\n";
	return $running{$name} = $suites{$name} = Display->new(name => $name,
		parser => $parser, start => time, passed => 0, failed => 0,
		skipped => {}, comments => []);
}

sub failure
{
	my ($self, $text, @comments) = @_;
	$self->{failed}++;
	push @{$self->{failures}}, "not ok $self->{name}: $text";
	print "$self->{failures}[-1]\n", @comments;
}

# A line of TAP. Comments belong to the failure before them or behind them.
sub result
{
	my ($self, $line) = @_;
	if (!$line->is_test) {
		my $comment = "  " . $line->as_string . "\n";
		return if $line->is_plan || $line->is_version;
		print $comment if $self->{failing};
		push @{$self->{comments}}, $comment;
		shift @{$self->{comments}} if @{$self->{comments}} > 20;
		return;
	}
	my $name = $line->description =~ s/^- //r;
	$self->{failing} = !$line->is_actual_ok;
	if ($self->{failing}) {
		$self->failure($name, @{$self->{comments}});
	} elsif (!$line->has_skip) {
		$self->{passed}++;
	} elsif (main::is_known_skip($self->{name}, $line)) {
		$self->{skipped}{$line->explanation}++;
	} else {
		$self->failure("$name: skipped, and not in tests/skips: " . $line->explanation);
	}
	$self->{comments} = [];
	progress();
}

sub progress
{
	my $pause = -t STDOUT ? 1 : 60;
	return if time - ($last_progress // $^T) < $pause;
	$last_progress = time;
	my $text = join ", ", map { "$_->{name} $_->{passed}" } values %running;
	print -t STDOUT ? "\r$text\e[K\r" : "# so far: $text\n";
}

sub close_test
{
	my ($self) = @_;
	my ($name, $parser) = @$self{qw(name parser)};
	my $status = $parser->exit // 0;
	my $signal = ($parser->wait // 0) & 127;
	my $seconds = time - $self->{start};
	delete $running{$name};
	if ($status == 124 || $status == 137) {
		$self->failure("no end after $options{t} s");
	} elsif (!$self->{failed} && $parser->has_problems) {
		$self->failure(join "; ", $parser->parse_errors,
			$signal ? "killed by signal $signal" : "exit status $status");
	}
	my $skipped = 0;
	$skipped += $_ for values %{$self->{skipped}};
	print "# $name: $self->{passed} passed, $self->{failed} failed, ",
		"$skipped skipped, $seconds s\n";
	my $log = main::log_of($name, ".log");
	print "# the end of $log:\n", map { "  $_" } `tail -n 20 $log`
		if $self->{failed} && -s $log;
}

package main;

sub run
{
	TAP::Harness->new({
		jobs => $options{j},
		# A stderr that a suite has closed can be read for ever: other suites would wait.
		merge => 1,
		formatter => Display->new,
		exec => sub {
			my $suite = $_[1];
			unlink log_of($suite, ".qemu");
			return [$suite_sh, '-l', $options{t}, $suite];
		},
	})->runtests(@_);
}

system('mkdir', '-p', $output);
run(@ARGV);
my @again = grep { $suites{$_}{failed} && -e log_of($_, ".qemu") } @ARGV;
if (@again) {
	$faults = "# QEMU itself failed, and a second guest was booted: @again\n";
	print $faults;
	run(@again);
}

my ($passed, $failed, %reasons) = (0, 0);
for my $suite (@suites{@ARGV}) {
	$passed += $suite->{passed};
	$failed += $suite->{failed};
	for my $reason (keys %{$suite->{skipped}}) {
		$reasons{$reason}{$suite->{name}} = $suite->{skipped}{$reason};
	}
}
print "\nSkipped:\n" if %reasons;
for my $reason (sort keys %reasons) {
	my $by = $reasons{$reason};
	print "  $reason: ", join(", ", map { "$by->{$_} in $_" } sort keys %$by), "\n";
}
print $faults // "", map { "$_\n" } map { @{$_->{failures} // []} } @suites{@ARGV};
print "$passed passed, $failed failed\n";
exit($failed || !$passed ? 1 : 0);
