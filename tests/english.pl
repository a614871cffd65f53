#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# english.pl FILE...: fails on sentences that people read twice: with one of these phrases,
# or with more than 40 words. Of C sources it reads the strings, which are messages.

use strict;
use warnings;

my @phrases = (
	qr/\b(?:is|are|was|were|has|have) to be\b/i, qr/\b(?:can|cannot|could|to) be had\b/i,
	qr/\bwho ha[sd]\b|\bwhoever\b|\bthat what\b|\bbut for\b|\basked for\b|\bat work\b/i,
	qr/\b(?:of|in|with|by|to|for|on|at|as|than) (?:who|what)\b/i,
	# A clause as the subject, and an object before it.
	qr/\bwhat [^.,;:]*, (?:is|are|has|does)\b/i, qr/^(?:What|Who|Which|Whether)\b(?=.*\.$)/,
	qr/\b(?:is|are|be|was|were) of\b/i, qr/\b(?:is|are) no [\w-]+:/i, qr/(?:^|: )of\b/i,
	qr/\b(?:of|by)[.,;]/, qr/\b(?:newborn|settler|own ones?)\b/i,
	qr/^(?:\W*\w\S*\s+){40}\K\w+/, # the 41st word
);
my $macros = join '|', qw(Ar Cm Dq Dv Em Er Ev Fa Fl Fn Ft Ic In Li Lk No Ns Op Pa Pc Po Pq
	Ql Sq Sx Sy Va Vt Xr);

# Each of these returns as many lines as it is given, with \f where a text begins or ends.
sub of_document { map { /^ {4}|^<!--/ ? "\f\n" : s/^\s*(?:[-*]|#+|\d+\.) |\|/\f/gr } @_ }

sub of_man
{
	map {
		my $out = /^\.(?:\\"|D[1dlt])/ || (/^\.Sh (?:NAME|SYN|SEE)|^\.Bd -literal/
			.. /^\.(?:Ed|Sh (?!NAME|SYN|SEE))/);
		s/\b(?:$macros)\b *//g, s/ (?=[.,;:)](?: |$))//g if /^\./;
		s/^\.It.*\K\n/\f\n/, s/^\.(?:S[hs]|Pp|It|[BE][ld])\b|\bTa\b/\f/g;
		$out ? "\f\n" : s/^\.|\\&|\\\(..|\\f.//gr
	} @_
}

# Only space, comments and PRI macros stand between two pieces of one message.
sub of_c
{
	return join('', @_) =~
		s{"((?:\\.|[^"\\])*)"|(/\*.*?\*/|//[^\n]*|\s+|PRI\w+)|'(?:\\.|[^'\\])+'|.}
		{defined $1 ? $1 =~ s/\\n/\f/gr : defined $2 ? $2 =~ tr/\n//cdr || ' ' : "\f"}gser;
}

my $bad = 0;
for my $file (@ARGV) {
	open my $in, '<', $file or die "$file: $!\n";
	my ($line, $text) = (1, join '', $file =~ /\.[ch]$/ ? of_c(<$in>) :
		$file =~ /\.\d$/ ? of_man(<$in>) : of_document(<$in>));
	$text =~ s/`[^`]*`/'CODE' . $& =~ tr,\n,,cdr/ge unless $file =~ /\.[ch]$/;
	for (split /((?<=[.!?])\W*\s|\f|\n\s*\n)/, $text) {
		my $sentence = join ' ', split;
		my @found = map { $sentence =~ $_ ? "'$&'" : () } @phrases;
		$bad = print "$file:", $line + (/^(\s*)/ && $1 =~ tr/\n//),
			": @found: $sentence\n" if @found;
		$line += tr/\n//;
	}
}
exit $bad;
