# SPDX-License-Identifier: LGPL-2.1-or-later
# How many different words a file has, in hexadecimal digits as well.
my %count;
while (<>) {
	$count{lc $1}++ while /([[:alnum:]]+)/g;
}
print scalar(keys %count), "\n";
