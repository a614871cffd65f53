#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs the programs in its directory in a guest and checks their output. TAP.

here=$(dirname "$0")
number=0
failed=0

# judge PROGRAM AWK-PROGRAM: passes if both exit with 0; awk reads the program's output.
judge()
{
	number=$((number + 1))
	if output=$("$here/$1") && echo "$output" | awk "$2"; then
		result=ok
	else
		result='not ok'
		failed=1
	fi
	echo "$output" | sed 's/^/# /'
	echo "$result $number - example_$1_prints_what_it_should"
}

echo "TAP version 13"
echo "1..8"

judge profil '
	/ ticks$/ { sum += $(NF - 1); at += /^steps[+]0x[0-9a-f]+ / }
	END { exit sum < 80 || sum > 104 || at != NR - 1 }'
judge sprofil '{ exit !($1 >= 20 && $6 >= 10 && $1 + $6 >= 90 && $10 == 10000) }'
judge pcsample '
	{ all = length($3); dots = gsub(/[.]/, "", $3)
	  exit !($1 >= 90 && all == $1 && dots < 10 && $3 ~ /^1+2+$/) }'
judge status '
	{ bad += $1 < 45 * NR || $1 != $6 + $8 + $10 || $6 < 0.9 * $1 || $4 != 10000 }
	END { exit bad || NR != 3 }'
judge features '
	/granted$/ { granted++ }
	/ 2 4 8 bytes$/ { widths = 1 }
	END { exit granted != 3 || !widths }'
judge pause '{ exit !($1 >= 80 && $1 <= 110 && $NF == 200) }'
judge fast '{ exit !($1 >= 900 && $3 >= $1) }'
judge stacks '
	{ exit !($1 >= 900 && $5 + $9 >= 0.9 * $1 && $5 > 2 * $9 && $5 < 4.5 * $9) }'
exit $failed
