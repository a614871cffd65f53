#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Does what the documents say, command by command, and compiles and runs the C that
# is in them: README.md, CONTRIBUTING.md, installation, the tutorial, and the EXAMPLES
# of the man pages. Compilers run here, all else in one guest. What other suites do, and
# what cannot be done, is in elsewhere.txt. TAP.
#
#   tests/documents/run.pl [DOCUMENT...]

use strict;
use warnings;
use Cwd;
use File::Basename;
use File::Temp;
use FindBin;

my $here = $FindBin::Bin;
my $top = Cwd::abs_path("$here/../..");
my $output = $ENV{O} // "$top/build";
my $kernel = $ENV{K} // '6.1';
my $work = File::Temp->newdir;
my ($guest, $log) = ("$work/guest", "$work/log");
my ($number, $failed, $last, $where) = (0, 0);
my (%elsewhere, %used);

sub do_or_die { system(@_) == 0 or die "failed: @_\n" }

sub lines_of { open my $file, '<', $_[0] or die "$_[0]: $!\n"; chomp(my @lines = <$file>); @lines }

sub write_to
{
	my ($path, @lines) = @_;
	open my $file, '>', $path or die "$path: $!\n";
	print $file map { "$_\n" } @lines;
	close $file or die "$path: $!\n";
}

# What fixtures are made of rather than written.
sub make_fixtures
{
	do_or_die("cat $top/kmod/*.c >$work/file");
	write_to("$work/large.c", map { "int f$_(int *a, int n) { int s = $_; " .
		"for (int i = 0; i < n; i++) s += a[i] * $_; " .
		"return s ? s : f$_(a, n - 1); }" } 0 .. 19);
	do_or_die('cc', '-g', '-O2', '-o', "$work/program", "$here/fixtures/program.c");
	do_or_die('mkdir', '-p', "$guest/bin", $output);
	write_to("$guest/bin/sudo", '#!/bin/sh', 'exec "$@"');
	chmod 0755, "$guest/bin/sudo";
}

# For pkg-config, and for no directory of the system.
sub install_library
{
	do_or_die("flock $output make -s -C $top/libprofil O=$output DESTDIR=$work/root install >&2");
	$ENV{PKG_CONFIG_PATH} = "$work/root/usr/local/lib/pkgconfig";
	$ENV{PKG_CONFIG_SYSROOT_DIR} = "$work/root";
}

# What is in the top directory of the sources, as far as documents speak of it.
sub copy_top
{
	chomp(my $release = `$top/scripts/kernel.sh release $kernel`);
	do_or_die('cp', '-r', (map { "$top/$_" } 'kmod', 'libprofil', 'examples'), $where);
	do_or_die('mkdir', '-p', "$where/build/$release");
	symlink "/lib/modules/$release/extra/profil.ko", "$where/build/$release/profil.ko";
}

sub result
{
	my ($good, $name) = @_;
	$number++;
	print $good ? "" : "not ", "ok $number - $name\n";
	return if $good;
	$failed = 1;
	print map { "# $_\n" } grep { defined } (lines_of($log))[-30 .. -1];
}

# Now, in the document's directory.
sub run_here
{
	my ($name, $command) = @_;
	undef $last;
	write_to("$work/command", "cd $where", $command);
	result(system("sh -e $work/command >$log 2>&1 </dev/null") == 0, $name);
}

# In the guest, which gives it the number that it has here.
sub run_later
{
	my ($name, $command) = @_;
	$last = sprintf "%s/%03d", $guest, ++$number;
	write_to("$last.command", $command);
	write_to("$last.name", $name);
	write_to("$last.where", $where);
	write_to("$last.words");
}

# A line that is shown below a command: its words are there, whatever the numbers. What has
# few samples may have none the next time.
sub shown
{
	my ($text) = @_;
	return if $text =~ /^( *[0-9.]+%)+ +[0-9] /;
	$last or die "shown below a command that is not run in the guest: $text\n";
	write_to("$last.words", lines_of("$last.words"), $text =~ /[A-Za-z_]{4,}/g);
}

# A program, or a piece of one.
sub code
{
	my ($document, $name) = @_;
	my @lines = lines_of("$where/$name");
	if (!grep { /^int main\(/ } @lines) {
		@lines = (lines_of("$here/around.h"), 'int main(void)', '{', @lines,
			'return 0;', '}');
		write_to("$where/$_", @lines) for $name, 'program.c';
	}
	my $program = $name =~ s/\.c$//r;
	run_here("$document: $name compiles", "cc -Wall -Wextra -Werror -o $program $name " .
		'$(pkg-config --cflags --libs libprofil)');
	if (grep { /argc/ } @lines) {
		run_later("$document: $name reads a profile",
			"profil -q -o profile ./program && ./$program profile/program.*");
	} else {
		run_later("$document: $name runs", "./$program");
	}
}

# Is it done elsewhere?
sub is_elsewhere { my $row = join "\t", @_; return $elsewhere{$row} && ++$used{$row} }

sub command
{
	my ($document, $text) = @_;
	if (is_elsewhere($document, $text)) {
		undef $last;
	} elsif ($text =~ /^(cc|mkdir) /) {
		run_here("$document: $text", $text);
	} else {
		run_later("$document: $text", $text);
	}
}

sub follow
{
	my ($document) = @_;
	my $skipped;
	$where = "$work/in/" . basename($document);
	do_or_die('mkdir', '-p', $where);
	do_or_die("cp $here/fixtures/* $work/large.c $work/file $work/program $where");
	copy_top() if $document =~ m{^(README\.md|docs/)};
	open my $blocks, '-|', 'awk', '-v', "code=$where/", '-f', "$here/blocks.awk",
		"$top/$document" or die "awk: $!\n";
	chomp(my @blocks = <$blocks>);
	@blocks = map { [split /\t/, $_, 2] } @blocks;
	# Their C first: commands compile it.
	$_->[0] eq 'code' and code($document, $_->[1]) for @blocks;
	for (@blocks) {
		my ($kind, $text) = @$_;
		$skipped = is_elsewhere($document, $text) if $kind eq 'section';
		next if $skipped;
		shown($text) if $kind eq 'output';
		command($document, $text) if $kind eq 'command';
	}
}

sub run_guest
{
	my @files = map { ('-f', $_) } $guest, "$work/in", '/usr/sbin/depmod',
		'/usr/sbin/modprobe', split /\n/,
		`which bash gzip make perl sort dd gcc as ld; gcc -print-prog-name=cc1`;
	do_or_die('cp', "$here/guest.sh", $guest);
	open my $tap, '-|', "$top/tests/qemu/run.sh", '-k', $kernel, '-n', '-i', '-m', '2G',
		'-t', 300, @files, '--', "$guest/guest.sh", $guest or die "run.sh: $!\n";
	print s/^((not )?ok )0*/$1/r while <$tap>;
	close $tap or $failed = 1;
}

# The table has no row that nothing needs, and suites that there are.
sub check_table
{
	my %suites = map { $_ => 1 } `$top/tests/suite.sh -h` =~ /^  ([a-z]+)[: ]/mg;
	my @wrong = map { "$_: is not in it" } grep { !$used{$_} } sort keys %elsewhere;
	for my $by (values %elsewhere) {
		push @wrong, "there is no suite $by"
			unless $by =~ m{^(not:.*|\.ci/run)$} || $suites{$by};
	}
	write_to($log, @wrong);
	result(!@wrong, "what is done elsewhere is in a document, and is done");
}

chdir $top;
$| = 1;
for (lines_of("$here/elsewhere.txt")) {
	my ($document, $what, $by) = split /\t/;
	$elsewhere{"$document\t$what"} = $by unless /^#/;
}
make_fixtures();
install_library();
print "TAP version 13\n";
follow($_) for @ARGV ? @ARGV :
	('README.md', 'CONTRIBUTING.md', 'docs/install.md', 'docs/tutorial.md', glob 'man/*.[1-9]');
check_table() unless @ARGV;
print "1..$number\n";
run_guest();
exit $failed;
