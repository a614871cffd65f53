#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs the programs in its directory in a guest and checks their output. TAP.

here=$(dirname "$0")
out=${TMPDIR:-/tmp}
number=0
failed=0

# verdict STATUS NAME
verdict()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=$((failed + 1))
	fi
}

# run PROGRAM [ARG...]: saves its output as the report, and prints it.
run()
{
	program=$1
	shift
	"$here/$program" "$@" >"$out/report"
	status=$?
	sed 's/^/# /' "$out/report"
	return $status
}

# judge NAME AWK-PROGRAM: the test passes if awk exits with 0 for the report.
judge()
{
	awk "$2" "$out/report"
	verdict $? "$1"
}

# Reads "total N of M": samples, and CPU time in clock ticks.
total='function off(n, m) { return n > m ? n - m : m - n }
/^total/ { samples = $2; bad = off($2, $4) > 4 || $2 < 50 }'

echo "TAP version 13"
echo "1..13"

run bsd-report 80
verdict $? example_bsd_report_runs
judge example_bsd_report_counts_its_cpu_time "$total"'
	END { exit bad || !samples }'
judge example_bsd_report_finds_where_the_time_goes '
	/ (sieve|multiply)$/ { share += $1 }
	NR == 3 && !/(sieve|multiply)$/ { bad = 1 }
	END { exit bad || share < 85 }'

run irix-libs 80
verdict $? example_irix_libs_runs
judge example_irix_libs_counts_its_cpu_time "$total"'
	END { exit bad || !samples }'
judge example_irix_libs_says_how_long_a_tick_is '
	/^tick/ { us = $2 } END { exit us != 10000 }'
judge example_irix_libs_tells_its_objects_apart '
	/ program$/ { program = $1 }
	/ libm\.so/ { libm = $1 }
	/ libc\.so/ { libc = $1 }
	END { exit !(program > 1 && libm > 5 && libc > 5) }'
judge example_irix_libs_has_the_rest_in_the_overflow_bin '
	/ elsewhere$/ { rest = $1 } END { exit !(rest > 5) }'

run solaris-record "$out/pcs" 250
verdict $? example_solaris_record_runs
judge example_solaris_record_counts_its_cpu_time '
	function off(n, m) { return n > m ? n - m : m - n }
	{ phases++; bad += $2 < 10 || off($2, $5) > 4 }
	END { exit bad || phases != 2 }'
judge example_solaris_record_stores_where_each_phase_was '
	{ sub(/%/, "", $9); bad += $6 < 3 || $9 + 0 < 95 } END { exit bad }'
bytes=$(wc -c <"$out/pcs")
judge example_solaris_record_writes_what_it_sampled '
	{ samples += $2 } END { exit samples * 8 != '"$bytes"' }'

run aix-ranges 3000
judge example_aix_ranges_counts_each_range "$total"'
	/^inner/ { inner = $2 }
	/^(before|after)/ { rest += $2 }
	END { exit bad || !samples || inner < rest || rest < 3 }'

exit $((failed != 0))
