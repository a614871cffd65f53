#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# guest.sh PROGRAM...: runs the programs in the guest, one after the other, and
# says after each how it ended. What did not end is what table.sh misses.

for program; do
	echo "# program ${program##*/}"
	timeout 600 "$program"
	echo "# ${program##*/} ended with status $?"
done
