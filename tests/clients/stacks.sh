#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Part of guest.sh: the stacks that come with samples. That they are those of the
# samples is looked at after each profile that lost none; here is what else they
# must be, and stay.

# stacks_fit [SPARE]: the last profile's stacks are those of its samples, but for
# SPARE in each file.
stacks_fit()
{
	"$CLIENTS/stacks" "${1:-16}" "$last"/* >fit 2>&1
	local status=$?
	cat fit >>seen
	return $status
}

# whole PERCENT: of the ticks in records.
whole()
{
	awk -v least="$1" '$1 == "total:" { good = $4 * 100 >= $2 * least }
		END { exit !good }' fit
}

# in_records PERCENT: of the samples.
in_records()
{
	awk -v least="$1" '$1 == "total:" { good = $2 * 100 >= $6 * least }
		END { exit !good }' fit
}

# whole_of_all PERMILLE: of all samples, those without a record, too.
whole_of_all()
{
	awk -v least="$1" '$1 == "total:" { good = $4 * 1000 >= $6 * least }
		END { exit !good }' fit
}

# small BYTES: a record, at most.
small()
{
	awk -v most="$1" '$1 == "total:" { good = $12 <= $10 * most }
		END { exit !good }' fit
}

# stacks_of NAME PERMILLE BYTES [FILE...]: the last profile's, or those files'; the
# numbers are shown, too.
stacks_of()
{
	local name=$1 least=$2 most=$3
	shift 3
	[ $# != 0 ] || set -- "$last"/*
	"$CLIENTS/stacks" 16 "$@" >fit 2>&1
	cat fit >>seen
	awk -v name="$name" '$1 == "total:" && $10 { printf "# stacks of %s: %.2f%% of %d" \
		" complete, %.1f bytes a record\n", name, $4 * 100 / $6, $6, $12 / $10 }' fit
	whole_of_all "$least" && small "$most"
}

# killed NAME SPARE COMMAND...: at some moment, with all processes called NAME.
killed()
{
	local moment pid name=$1 spare=$2
	shift 2
	: >seen
	for moment in 05 10 15 20 25 30 35 40 45 50 55 60; do
		"$PROFIL" -q -o killed.out dash -c "$*; :" &
		sleep 0.$moment
		for pid in $(pid_of "$name"); do
			kill -9 "$pid" 2>/dev/null
		done
		wait $!
		last=killed.out
		stacks_fit "$spare" || return
		"$PROFIL" report killed.out >>seen 2>&1
		! grep -q damaged seen || return
	done
}

# Threads, plugins, forks and exec at the same time. Of a process that ends without
# a word nobody knows how many ticks are in no record.
churning()
{
	run churn.out "$CLIENTS/churn" 3 "$CLIENTS/plugins.d" &&
		stacks_fit 100 && whole 80 && in_records 80 &&
		[ "$(files churn.out churn)" = 27 ] &&
		! grep -qi 'damaged' seen
	ok "stacks fit their samples while threads, plugins and processes come and go"

	killed churn 100 "$CLIENTS/churn 9 $CLIENTS/plugins.d"
	ok "and if all that is killed at any moment"

	mkdir -p full && mount -t tmpfs -o size=1m tmpfs full
	dd if=/dev/zero of=full/fill bs=4k 2>/dev/null
	truncate -s $(($(stat -c %s full/fill) - 100 * 4096)) full/fill
	run full/profile "$CLIENTS/churn" 3 "$CLIENTS/plugins.d" &&
		stacks_fit 100000 && in_records 5 && ! grep -qi damaged seen
	ok "and if the disk becomes full meanwhile"
	umount full
}

stacks()
{
	run stacks.out "$CLIENTS/hot" 200 && none_lost && whole 98 && in_records 98
	ok "a program's samples have stacks, and they are complete"

	killed forks 2 "$CLIENTS/forks 4 $CLIENTS/true"
	ok "killed at any moment, a program leaves the stacks of its samples"

	run threads.out "$CLIENTS/threads" 60 && none_lost && whole 90 &&
		in_records 95 && [ "$(awk '$1 == "total:" { print $8 }' fit)" -ge 60 ]
	ok "threads that come and go have names and stacks"

	LD_LIBRARY_PATH=$CLIENTS/plugins.d/usual \
		run plugins.out "$CLIENTS/plugins" "$CLIENTS/plugins.d" && none_lost &&
		whole 80
	ok "plugins are told the kernel as they come and go"

	"$CLIENTS/loads" "$CLIENTS/plugins.d" >seen 2>&1 &&
		awk '/^told:/ { good = $2 >= 30 && $4 * 100 >= $2 * 90 }
			/^untold:/ { some = $2 >= 30 && $4 == 0 }
			END { exit !(good && some) }' seen
	ok "a program with stacks in its own memory tells the kernel what it loads"

	run forks.out "$CLIENTS/forks" 4 "$CLIENTS/true" && none_lost &&
		whole 95 && [ "$(grep -c ' 1 resets' fit)" -ge 5 ]
	ok "a fork's children have stacks of their own"

	run cut.out "$CLIENTS/memory" unmaps-forks
	[ $? = 5 ] && [ "$(files cut.out)" = 2 ] && stacks_fit 100 && whole 90
	ok "so has the child of a program that unmaps the page"

	run locks.out "$CLIENTS/memory" locks
	[ $? = 5 ] && none_lost && in_records 90 && whole 90
	ok "mlockall() stops stacks for a moment only"

	run space.out "$CLIENTS/memory" space
	[ $? = 5 ] && none_lost && in_records 90 && whole 90
	ok "a program that limits its address space keeps them"

	(ulimit -v 500000; run space.out "$CLIENTS/hot" 100) && last=space.out &&
		none_lost && in_records 98 && whole 98
	ok "one that is started with such a limit has them"

	(ulimit -f 10000; run size.out "$CLIENTS/hot" 100) && last=size.out &&
		none_lost && in_records 98 && whole 98 &&
		(ulimit -f 10000; run size.out "$CLIENTS/forks" 4 "$CLIENTS/true") &&
		none_lost && whole 95
	ok "so has one whose files may not be long, and so have its children"

	# Room for four pages and no more: 1000 blocks of the shell's are 512 bytes.
	(ulimit -f 8232; "$PROFIL" -o size.out "$CLIENTS/hot" 40 >seen 2>&1)
	grep -q 'no room for call stacks within its limits: .*hot runs without them$' seen &&
		grep -q ' samples, ' seen
	ok "where a limit leaves no room for them, it is said"

	run none.out --no-stacks "$CLIENTS/hot" 40 && none_lost &&
		grep -q 'no stacks' fit && run none.out "$CLIENTS/hot" 40 &&
		none_lost && ! grep -q 'no stacks' fit &&
		PROFIL_STACKS=0 run none.out "$CLIENTS/hot" 40 && none_lost &&
		grep -q 'no stacks' fit
	ok "who wants no stacks has none"

	full_of_stacks
}

# Samples are given pages ahead of time, stacks are not. With some number of pages
# left, there is room for a part of the stacks and for all samples.
full_of_stacks()
{
	local pages
	mkdir -p full && mount -t tmpfs -o size=700k tmpfs full
	for pages in 14 16 18 20 22 24 26 28; do
		rm -rf full/*
		dd if=/dev/zero of=full/fill bs=4k 2>/dev/null
		truncate -s $(($(stat -c %s full/fill) - pages * 4096)) full/fill
		run full/profile "$CLIENTS/hot" 400
		stacks_fit || break
		! in_records 5 || break
	done
	echo "with $pages pages" >>seen
	none_lost && has three && in_records 5 && ! in_records 95
	ok "a full disk ends stacks before it ends samples"
	umount full
}
