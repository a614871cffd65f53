#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Part of guest.sh: programs that do to themselves what a profile might not
# survive, or might spoil.

# state FILE: what the header says: 1 if the program has ended by exit().
state() { od -A n -t u4 -j 104 -N 4 "$1" | tr -d ' '; }

# has SAMPLES...: each is a function that is at least 10 percent.
has()
{
	local name
	for name; do
		at_least 10 " $name " || return
	done
}

# --- -pg, started by a library ------------------------------------------------

early_gmon()
{
	rm -f gmon.out
	strace -f -o trace -E LD_PRELOAD="$PRELOAD" \
		-E PROFIL_DIRECTORY="$OUT/early.d" "$CLIENTS/hot-pg-libm" 100 >seen 2>&1
	grep -e ITIMER -e '--- SIG' trace >>seen
	gprof -b "$CLIENTS/hot-pg-libm" gmon.out >>seen 2>&1
	[ "$(gprof_share "$CLIENTS/hot-pg-libm" gmon.out three)" -ge 6900 ] &&
		! grep -q -e '--- SIG' trace &&
		grep -q 'Each sample counts as 0.001 seconds' seen &&
		tail -n 1 <<-END | grep -q 'it_value={tv_sec=0, tv_usec=0}'
		$(grep ITIMER_PROF trace)
		END
	ok "-pg that a library starts before main has the kernel's samples"

	run early.out "$CLIENTS/hot-pg-libm" 100 exec "$CLIENTS/hot"
	[ $? = 3 ] && [ "$(files early.out)" = 2 ] && has three
	ok "and a program that it becomes does not die of a timer"
}

# The number of counters in gmon.out.
bins() { od -A n -t u4 -j 37 -N 4 gmon.out | tr -d ' '; }

libc_gmon()
{
	local program own
	: >seen
	for program in hot-pg hot-pg-nopie forks-pg hot-pg-libm; do
		rm -f gmon.out
		"$CLIENTS/$program" 1 && own=$(bins) && cp gmon.out own.gmon &&
			LD_PRELOAD=$PRELOAD PROFIL_RATE=clock \
				PROFIL_DIRECTORY=$OUT/bins.d "$CLIENTS/$program" 1
		echo "$program: $own counters, and $(bins)" >>seen
		[ "$own" = "$(bins)" ] || break
		gprof -s "$CLIENTS/$program" own.gmon gmon.out >>seen 2>&1 ||
			break
	done
	rm -f own.gmon gmon.sum
	tail -n 1 seen | grep -q hot-pg-libm && [ "$own" = "$(bins)" ]
	ok "gprof -s adds up gmon.out files of ours and of libc"
}

# --- a profile of the program's own -------------------------------------------

own_profiles()
{
	local kind
	for kind in shared static; do
		run dialect.out "$CLIENTS/dialect-$kind" && none_lost &&
			has before after && at_most 5 ' during ' &&
			grep -q 'profile(s) that programs started themselves' seen
		ok "a call of another system's, $kind, is noticed, and samples come back"

		cat stdout >>seen
		[ "$(sed -n 's/^parent: //p' stdout)" -gt 4 ] &&
			[ "$(sed -n 's/^child: //p' stdout)" -gt 4 ]
		ok "and a fork's child has the program's own profile too ($kind)"
	done
}

# --- a long command line --------------------------------------------------------

long_arguments()
{
	# shellcheck disable=SC2046
	run long.out perl -e '$i++ while $i < 1e6' $(seq 1000 3000) &&
		"$PROFIL" report --html long.out >page.html &&
		tr , '\n' <page.html | grep -q '"name":"perl -e .* 1000 1001 .* 1700 '
	ok "of a command line that is too long, the beginning is kept"
	rm -f page.html
}

# --- forks ----------------------------------------------------------------------

odd_forks()
{
	run bareforks.out "$CLIENTS/bareforks"
	[ $? = 137 ] && [ "$(files bareforks.out)" = 2 ] &&
		has before after in_child && at_most 45 ' in_child ' &&
		[ "$(for file in bareforks.out/*; do state "$file"; done | sort |
			tr -d '\n')" = 01 ]
	ok "a child of _Fork() has a file, one of clone() does not end its parent's"

	run handler.out "$CLIENTS/handler"
	[ $? = 7 ] && [ "$(files handler.out)" = 2 ]
	ok "a fork in a signal handler needs no more stack than it had"

	timeout 100 "$PROFIL" -q -o dlfork.out "$CLIENTS/dlfork" >seen 2>&1
	[ $? = 7 ] && [ "$(files dlfork.out)" = 2 ] &&
		[ "$(state "$(echo dlfork.out/* | cut -d ' ' -f 2)")" = 1 ]
	ok "a fork's child exits though its parent's linker was locked"
}

# --- names ------------------------------------------------------------------------

odd_names()
{
	local name
	run title.out "$CLIENTS/title" && none_lost && has work &&
		[ "$(files title.out title.)" = 2 ]
	ok "a program that sets its title, and its child, keep their names"

	: >seen
	for name in '' - -n .hidden .. a/ a/b/ "$(printf 'a\n\033[2Jb')"; do
		"$PROFIL" -q -o name.out "$CLIENTS/title" "$name" >>seen 2>&1
		[ "$(find name.out -type f |
			grep -c '^name.out/[a-zA-Z_][a-zA-Z0-9_.[]*$')" = 3 ] || break
	done
	echo "name \"$name\":" >>seen
	find name.out >>seen
	[ "$name" = "$(printf 'a\n\033[2Jb')" ] && [ "$(files name.out)" = 3 ]
	ok "whatever its name is, a program has a file that can be handled"

	run lds.out /lib64/ld-linux-x86-64.so.2 "$CLIENTS/hot" 40 && has three &&
		! grep -q statically stderr && [ "$(files lds.out hot)" = 1 ]
	ok "ld.so PROGRAM is a profile of the program"
}

# --- memory ---------------------------------------------------------------------

odd_memory()
{
	run locks.out "$CLIENTS/memory" locks
	[ $? = 5 ] && none_lost && has before work && [ "$(files locks.out)" = 2 ] &&
		[ "$(sed -n 's/ kB locked//p' stdout)" -lt 100000 ]
	ok "mlockall() locks the program, and not its profile"

	mkdir -m 777 limited.out
	run limited.out "$CLIENTS/memory" limited
	[ $? = 5 ] && none_lost && has before work
	ok "mlockall() works with a limit that it works with alone"

	run refused.out "$CLIENTS/memory" refused
	[ $? = 5 ] && none_lost && has before work
	ok "an mlockall() that fails leaves the profile as it was"

	run space.out "$CLIENTS/memory" space
	[ $? = 5 ] && none_lost && has before work
	ok "a program that limits its address space has it"

	run cut.out "$CLIENTS/memory" unmaps
	[ $? = 5 ] && has before && [ "$(cat stdout)" = "1 unmapped" ]
	ok "a program that unmaps the page lives"

	run cut.out "$CLIENTS/memory" unmaps-all
	[ $? = 5 ] && has before && [ "$(tail -n 1 stdout)" = "2 unmapped" ]
	ok "a program that unmaps its profile lives"

	run asan.out "$CLIENTS/hot-asan" 20 && has three && [ ! -s stderr ]
	ok "a program with gcc's address sanitizer starts"

	run untouched.out "$CLIENTS/untouched" || {
		cat stdout >>seen
		false
	}
	ok "errno is what it would be"

	echo 2 >/proc/sys/vm/overcommit_memory
	run strict.out "$CLIENTS/forks" 2 && none_lost && has serve &&
		[ "$(files strict.out)" = 3 ]
	ok "without overcommitting memory there are profiles"
	echo 0 >/proc/sys/vm/overcommit_memory
}

odd_programs()
{
	early_gmon
	libc_gmon
	own_profiles
	long_arguments
	odd_forks
	odd_names
	odd_memory
}
