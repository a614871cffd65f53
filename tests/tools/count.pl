# SPDX-License-Identifier: LGPL-2.1-or-later
# Counts interrupts for a moment after the first, into the file "counted".
$| = 1;
$SIG{INT} = sub { $n++ };
open my $ready, '>', 'ready';
select undef, undef, undef, 0.02 until $n;
select undef, undef, undef, 0.02 for 1 .. 20;
open my $counted, '>', 'counted';
print $counted $n;
