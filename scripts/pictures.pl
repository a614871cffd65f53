#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Draws the pictures of the documents, docs/flame.svg and docs/terminal.svg: a profile of
# examples/rows.py, run by Debian's Python in a guest. The debug information comes from
# Debian's packages, which are unpacked and not installed.
#
#   scripts/pictures.pl [-n]	-n: of the last profile

use strict;
use warnings;
use Cwd;
use File::Basename;
use FindBin;

my $top = Cwd::abs_path("$FindBin::Bin/..");
my $output = $ENV{O} // "$top/build";
my $python = basename(Cwd::abs_path('/usr/bin/python3'));
my ($work, $root) = ("$output/pictures", "$output/pictures/root");
my ($width, $row, $letter) = (1200, 16, 6.63);	# pixels; a letter's width

sub do_or_die { system(@_) == 0 or die "failed: @_\n" }

sub unpack_python
{
	do_or_die("rm -rf $work && mkdir -p $root && cd $work && apt-get download -qq " .
		"$python-minimal lib$python-minimal lib$python-stdlib $python-dbg " .
		'libc6 libc6-dbg && for package in *.deb; do dpkg-deb -x $package root; done');
}

# The first run leaves compiled modules, so the second one shows no compiler.
sub profile
{
	my $commands = "mkdir -p /usr/bin /usr/lib; cp $root/usr/bin/$python /usr/bin/python3; " .
		"ln -s $root/usr/lib/$python /usr/lib; cd $top/examples; python3 rows.py; " .
		'profil -q -o $OUT/rows.out python3 rows.py';
	do_or_die("$top/tests/qemu/run.sh", '-i', '-m', '2G', '-t', 600, '-o', "$work/out",
		(map { ('-f', $_) } "$root/usr/bin/$python", "$root/usr/lib/$python",
			"$top/examples/rows.py"), '--', '/bin/sh', '-c', $commands);
	do_or_die("ln -f $root/usr/bin/$python $root/usr/bin/python3");
}

# What "profil report OPTIONS" prints on a terminal, or to a pipe.
sub report
{
	my ($options, $is_terminal) = @_;
	my $command = "$output/tools/profil-report report --root=$root $options $work/out/rows.out";
	$command = "COLUMNS=108 script -qec '$command' /dev/null </dev/null" if $is_terminal;
	open my $pipe, '-|', $command or die "$command: $!\n";
	my @lines = <$pipe>;
	close $pipe or die "failed: $command\n";
	s/\s+$// for @lines;
	return @lines;
}

sub text
{
	my ($x, $y, $class, $text) = @_;
	$text =~ s/&/&amp;/g;
	$text =~ s/</&lt;/g;
	return sprintf qq(<text x="%.1f" y="%.1f" class="%s">%s</text>\n), $x, $y, $class, $text;
}

sub write_svg
{
	my ($name, $width, $height, $background, @items) = @_;
	open my $file, '>', "$top/docs/$name" or die "$name: $!\n";
	print $file qq(<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height" ),
		qq(viewBox="0 0 $width $height">\n),
		"<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->\n<style>\n",
		"text { font: 11px 'DejaVu Sans Mono', monospace; fill: #111; white-space: pre }\n",
		".terminal { font-size: 12.5px; fill: #ddd }\n",
		".typed { font-size: 12.5px; font-weight: bold; fill: #9d9 }\n</style>\n",
		qq(<rect width="$width" height="$height" fill="$background"/>\n), @items, "</svg>\n";
	close $file or die "$name: $!\n";
}

# Adds the calls of folded stacks to a tree, each { samples, calls by name }.
sub tree
{
	my %all = (samples => 0);
	for (@_) {
		my ($stack, $samples) = /^[^;]*;(.*) (\d+)$/ or next;
		my $call = \%all;
		$all{samples} += $samples;
		for my $name (split /;/, $stack) {
			# What a compiler adds to a name, and a symbol's version.
			$name =~ s/\.(?:lto_priv|isra|part|constprop|cold)\b.*|@@.*//;
			$call = $call->{calls}{$name} //= { samples => 0 };
			$call->{samples} += $samples;
		}
	}
	return \%all;
}

# Boxes of a call and the calls above it, [x, depth, width, name]; none that is a hair.
sub boxes
{
	my ($call, $name, $x, $depth, $scale) = @_;
	my $calls = $call->{calls} // {};
	my @found = [$x, $depth, $call->{samples} * $scale, $name];
	for (sort { $calls->{$b}{samples} <=> $calls->{$a}{samples} || $a cmp $b } keys %$calls) {
		my $size = $calls->{$_}{samples} * $scale;
		push @found, boxes($calls->{$_}, $_, $x, $depth + 1, $scale) if $size >= 8;
		$x += $size;
	}
	return @found;
}

sub draw_flame
{
	my $tree = tree(report('-f folded'));
	my @boxes = boxes($tree, "python3 rows.py: $tree->{samples} samples", 0, 0,
		$width / $tree->{samples});
	my ($deepest) = sort { $b <=> $a } map { $_->[1] } @boxes;
	write_svg('flame.svg', $width, ($deepest + 1) * $row, '#fff', map {
		my ($x, $depth, $size, $name) = @$_;
		my ($y, $fits) = (($deepest - $depth) * $row, int(($size - 6) / $letter));
		my $hash = unpack '%32C*', $name;
		my $colour = sprintf '#%02x%02x%02x', 240 + $hash % 16, 160 + $hash * 7 % 64,
			90 + $hash * 5 % 40;
		substr($name, $fits - 1) = '…' if length $name > $fits && $fits > 0;
		sprintf(qq(<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>\n),
			$x, $y, $size - 0.7, $row - 1, $colour) .
			($fits >= 3 ? text($x + 3, $y + 12, 'name', $name) : '');
	} @boxes);
}

sub draw_terminal
{
	my @lines;
	for ('-n 10', '--tree -n 28') {
		push @lines, text(12, 26 + $row * @lines, 'typed', "\$ profil report $_");
		push @lines, text(12, 26 + $row * @lines, 'terminal', $_) for report($_, 1), '';
	}
	write_svg('terminal.svg', 840, $row * @lines + 16, '#222', @lines);
}

if (!@ARGV) {
	unpack_python();
	profile();
}
draw_flame();
draw_terminal();
