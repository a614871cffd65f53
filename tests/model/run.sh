#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Searches all states of one scenario. The last line is what it found.
# Usage: run.sh DIR SCENARIO states|cycles [MUTATION]

set -euo pipefail
model=$(dirname "$(realpath "$0")")
dir=$1 scenario=$2 what=$3 mutation=${4:-}

mkdir -p "$dir"
cd "$dir"
rm -f ./*.trail
cp "$model"/*.pml .
few=''
# A cycle is looked for with fewer ticks, or it takes long.
[ "$what" = states ] || few=-DFEW
file=profil.pml
[[ $scenario != STACK_* ]] || file=stack.pml
[[ $scenario != THREAD_* ]] || file=thread.pml
# shellcheck disable=SC2086 # one word or none
spin -a $few -DSCENARIO_"$scenario" ${mutation:+-DMUT_"$mutation"} $file >spin.log || {
	cat spin.log
	exit 1
}
# Compressed states, exactly compared; at most 3 GB. pan is compiled faster
# without optimisation than it gains by it.
flags=(-w -O0 -DCOLLAPSE -DMEMLIM=3000 -DVECTORSZ=1024)
case $what in
states)	gcc "${flags[@]}" -DSAFETY -o pan pan.c
	./pan -m100000 -b ;;
cycles)	gcc "${flags[@]}" -DNP -o pan pan.c
	./pan -m1000000 -l ;;
esac >pan.log
awk '
	/^pan:1: / { found = substr($0, 8) }
	/errors: 0$/ { clean = 1 }
	/states, stored/ { states = $1 }
	/max search depth|MEMLIM|out of memory|not completed/ { incomplete = $0 }
	END {
		if (found)
			print "error: " found
		else if (incomplete || !clean)
			print "incomplete: " incomplete
		else
			print "nothing in " states " states"
	}' pan.log
