#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What profiling costs beside other profilers, in TAP: boots a guest whose clock
# counts instructions for rivals.sh. K in the environment is the kernel. "make
# rivals" has been run.

use strict;
use warnings;
use Cwd;
use FindBin;

my $top = Cwd::abs_path("$FindBin::Bin/../..");
my $output = $ENV{O} // "$top/build";
my $bench = "$output/bench";
my ($number, $failed) = (0, 0);
my %rivals;

sub run_rivals
{
	my ($profiler) = `/sbin/ldconfig -p` =~ /libprofiler\.so\.0 .*=> (.*)/;
	$profiler //= '/usr/lib/x86_64-linux-gnu/libprofiler.so.0';
	my @files = map { ('-f', $_) } $bench, $profiler, '/usr/libexec/valgrind',
		'/bin/busybox', split /\n/, `which perf valgrind valgrind.bin`;
	open my $out, '-|', "$top/tests/qemu/run.sh", '-k', $ENV{K} // '6.1', '-i', '-m',
		'3G', '-t', 1500, @files, '-e', "BENCH=$bench", '-e', "PROFILER=$profiler",
		'--', "$bench/rivals.sh" or die "run.sh: $!\n";
	while (<$out>) {
		print "# $_";
		chomp;
		my ($what, $name, $value) = split /\t/;
		$rivals{$what}{$name} = $value;
	}
	close $out or exit 1;
}

# At most so many hundredths of what the other has.
sub at_most
{
	my ($what, $name, $other, $most) = @_;
	my ($ours, $theirs) = map { $rivals{$what}{$_} // 0 } $name, $other;
	my $good = $ours > 0 && $theirs > 0 && $ours * 100 <= $theirs * $most;
	$number++;
	$failed ||= !$good;
	print $good ? "" : "not ", "ok $number - $what: $name $ours, $other $theirs, at most $most %\n";
}

sub judge
{
	at_most('sample', 'profil --no-stacks', 'gperftools', 50);
	at_most('sample', 'profil --no-stacks', 'perf record', 75);
	at_most('sample', 'profil', 'perf record, frame pointers', 105);
	at_most('sample', 'profil', $_, 25) for 'perf record, dwarf', 'gperftools';
	at_most('start', 'profil', $_, 20) for 'perf record', 'gperftools';
	at_most('context switch', 'profil', 'nothing', 115);
	at_most('thread', 'profil', 'nothing', 110);
	at_most($_, 'profil -w', 'perf record, switches', 60) for 'context switch', 'switch after 4 ms';
	at_most('fork and exit', 'profil', 'gperftools', 150);
	at_most('start of a program', 'profil', 'gperftools', 20);
}

print "TAP version 13\n";
run_rivals();
judge();
print "1..$number\n";
exit $failed;
