#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs inside the guest: profiles programs that know nothing of it, and says
# in TAP whether the result is what it must be. Profiles stay in $OUT for the
# viewers on the host. CLIENTS, PROFIL and PRELOAD are paths.

export LC_ALL=C
cd "$OUT" || exit 1
. "$CLIENTS/programs.sh"
. "$CLIENTS/stacks.sh"
tests=0 failed=0 last=

# ok NAME: the result of the command before.
ok()
{
	local status=$?
	tests=$((tests + 1))
	if [ $status = 0 ]; then
		echo "ok $tests - $1"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $tests - $1"
	# What was seen explains it.
	{
		head -n 30 "$OUT/seen"
		echo ...
		tail -n 5 "$OUT/seen"
		[ -z "$last" ] || accounting "$last"
	} | sed 's/^/# /'
}

# accounting DIRECTORY: what the kernel counted, of each process that said so;
# see profil-file(5).
accounting()
{
	local file
	for file in "$1"/*; do
		[ -f "$file" ] &&
			echo "$file: state$(od -A n -t u4 -j 104 -N 4 "$file")," \
				"stopped$(od -A n -t u4 -j 116 -N 4 "$file")," \
				"ticks, counted, dropped:" \
				"$(od -A n -t u8 -j 120 -N 24 "$file" | tr -s ' \n' ' ')"
	done
}

# run DIRECTORY COMMAND...: profile quietly; the table is in "seen".
run()
{
	local directory=$1 status=0
	shift
	last=$directory
	: >"$OUT/seen"
	"$PROFIL" -q -o "$directory" "$@" >stdout 2>stderr || status=$?
	"$PROFIL" report -n 0 "$directory" >seen 2>&1
	return $status
}

# The table's share column, in hundredths of a percent, of rows whose function
# or object matches a regular expression.
share()
{
	awk -v pattern="$1" '
		$1 ~ /%$/ && $0 ~ pattern { sum += $1 * 100 }
		END { printf "%d\n", sum }' seen
}

# at_least PERCENT PATTERN [FILE]
at_least() { [ "$(share "$2")" -ge $(($1 * 100)) ] || not_due "$@"; }
at_most() { [ "$(share "$2")" -le $(($1 * 100)) ] || not_due "$@"; }
not_due()
{
	echo "share of \"$2\": $(share "$2") of 10000; the limit is $1%" >>seen
	return 1
}

# Function of the first row.
top() { awk '$1 ~ /%$/ { print $(4 + ($4 ~ /%$/)); exit }' seen; }
samples() { sed -n 's/^\([0-9]*\) samples,.*/\1/p' seen; }
# Nor a stack that should be there.
none_lost() { grep -q '^0 lost, ' seen && stacks_fit; }
processes() { sed -n 's/.* in \([0-9]*\) process.*/\1/p' seen; }

# files DIRECTORY [NAME]: how many files begin with NAME.
files() { find "$1" -type f -name "${2:-}*" | wc -l; }

# --- programs from Debian ---------------------------------------------------

debian()
{
	run perl.out perl "$CLIENTS/words.pl" "$DATA" && none_lost &&
		at_least 80 ' perl ' && at_least 20 'Perl_' && [ "$(cat stdout)" = "$WORDS" ]
	ok "perl counting words is in perl, by name"

	stacks_of perl 995 30
	ok "perl's stacks are complete, in 30 bytes a record"

	run python.out "$PYTHON" "$CLIENTS/hash.py" "$DATA" && none_lost &&
		at_least 50 ' libcrypto.so.3 ' && grep -q ' _codecs_jp.*\.so ' seen &&
		[ "$(commands python.out | sed 's/^[0-9]* //;q')" = "${PYTHON##*/}" ]
	ok "python3 hashing is in libcrypto, its own modules and its name are known"

	stacks_of python3 995 30
	ok "python3's stacks are complete, in 30 bytes a record"

	run sqlite.out sqlite3 :memory: '.read '"$CLIENTS/table.sql" &&
		none_lost && at_least 60 ' libsqlite3.so.0 ' &&
		[ "$(cat stdout)" = "$ROWS" ]
	ok "sqlite3 joining tables is in libsqlite3"

	stacks_of sqlite3 995 30
	ok "sqlite3's stacks are complete, in 30 bytes a record"

	run cyclictest.out cyclictest -m -q -p 80 -l 200 -i 1000 &&
		[ "$(files cyclictest.out)" = 1 ] && none_lost
	ok "cyclictest locks its memory, and has a profile"

	run gzip.out gzip -9 -c "$DATA" && none_lost &&
		at_least 90 ' gzip ' && gzip -dc <stdout | cmp -s - "$DATA"
	ok "gzip is in gzip, and its output is untouched"

	run xz.out xz -3 -c "$DATA" && none_lost && at_least 90 ' liblzma.so.5 '
	ok "xz is in liblzma"
}

# On several CPUs, with work enough to make little of starting threads and of
# clearing their tables.
threads()
{
	run pigz.out pigz -9 -p 4 -c "$DATA" "$DATA" "$DATA" && none_lost &&
		at_least 70 ' (pigz|libz.so.1) ' &&
		cat "$DATA" "$DATA" "$DATA" >data && gzip -dc <stdout | cmp -s - data
	ok "pigz with 4 threads is in its compressor"
	rm -f data

	# A CPU that a busy machine stops anywhere has its ticks there: in a walk, too.
	stacks_of pigz 980 60
	ok "the stacks of pigz with 4 threads are complete, in 60 bytes a record"

	run zstd.out zstd -q -9 -B1M -T4 -c "$DATA" "$DATA" && none_lost &&
		at_least 80 'zstd'
	ok "zstd with 4 threads is in its compressor"

	stacks_of zstd 990 60
	ok "the stacks of zstd with 4 threads are complete, in 60 bytes a record"

	run perl.out perl "$CLIENTS/words.pl" "$DATA" && none_lost &&
		stacks_of perl 990 30
	ok "perl's stacks are complete where there are other CPUs"
}

# --- forks --------------------------------------------------------------------

# The program that has most of the time, from the folded stacks.
commands()
{
	"$PROFIL" report -f folded "$1" 2>/dev/null |
		awk -F'[; ]' '{ sum[$1] += $NF } END {
			for (name in sum) print sum[name], name }' | sort -rn
}

forks()
{
	run make.out make -s -j2 -C "$CLIENTS/project" O="$OUT/objects" &&
		none_lost && [ -s "$OUT/objects/all.o" ] &&
		[ "$(commands make.out | sed 's/.* //;q')" = cc1 ] &&
		[ "$(processes)" -ge 8 ]
	ok "make building a project is in cc1, and all processes have files"

	stacks_of cc1 995 30 make.out/cc1.*
	ok "cc1's stacks are complete, in 30 bytes a record"

	run shell.out dash -c "$CLIENTS/hot 20; (exec $CLIENTS/hot 20) & wait" &&
		[ "$(commands shell.out | sed 's/.* //;q')" = hot ] &&
		[ "$(files shell.out hot)" = 2 ]
	ok "a shell's programs each have a file"

	run forks.out "$CLIENTS/forks" 4 "$CLIENTS/true" && none_lost &&
		[ "$(files forks.out forks)" = 5 ] &&
		at_least 60 ' serve ' && at_least 15 ' accept_request ' &&
		[ "$(files forks.out true)" = 4 ]
	ok "a forking server and its children are 1 to 3, beside its vforks"

	run alone.out -C "$CLIENTS/forks" 4 && at_most 5 ' serve ' &&
		[ "$(files alone.out)" = 1 ]
	ok "without children, there is one file"
}

# --- ends -----------------------------------------------------------------------

ends()
{
	local end status pid

	run exit.out "$CLIENTS/hot" 200 && none_lost &&
		at_least 69 ' three ' && at_most 81 ' three '
	ok "three() has three times the samples of one()"

	for end in _exit:3 abort:134 segv:139; do
		status=${end#*:}
		run end.out "$CLIENTS/hot" 40 "${end%:*}"
		[ $? = "$status" ] && at_least 60 ' three '
		ok "${end%:*} is passed on as status $status, with a profile"
	done

	run exec.out "$CLIENTS/hot" 20 exec
	[ $? = 3 ] && [ "$(files exec.out)" = 2 ] && at_least 60 ' three ' &&
		[ "$(processes)" = 2 ]
	ok "exec begins another file, and the first stays"

	rm -f ready
	"$PROFIL" -q -o kill.out "$CLIENTS/hot" 40 wait >ready &
	until grep -q ready ready 2>/dev/null; do sleep 0.1; done
	for pid in /proc/[0-9]*; do
		case $(readlink "$pid/exe") in
		*/hot) kill -9 "${pid#/proc/}" ;;
		esac
	done
	wait $!
	status=$?
	"$PROFIL" report kill.out >seen 2>&1
	[ $status = 137 ] && at_least 60 ' three ' && none_lost &&
		! grep -q 'process(es)$\|lost:' seen
	ok "kill -9 loses nothing, and nothing is said that is not known"

	oom

	rm -f ready
	"$PROFIL" -q -o term.out "$CLIENTS/hot" 10 wait >ready &
	pid=$!
	until grep -q ready ready 2>/dev/null; do sleep 0.1; done
	kill -TERM $pid
	wait $pid
	[ $? = 143 ] && "$PROFIL" report term.out >seen 2>&1 &&
		at_least 60 ' three '
	ok "a signal to profil reaches the command"
}

# wait_ready FILE: for the word of "hot N wait".
wait_ready() { until grep -q ready "$1" 2>/dev/null; do sleep 0.1; done; }

# pid_of EXECUTABLE: of a process that runs it.
pid_of()
{
	local pid
	for pid in /proc/[0-9]*; do
		case $(readlink "$pid/exe") in
		*"/$1") echo "${pid#/proc/}" ;;
		esac
	done
}

# longest DIRECTORY [NAME]: of the files that begin with NAME, in bytes.
longest()
{
	find "$1" -type f -name "${2:-}*" -exec stat -c %s {} + |
		sort -n | tail -n 1
}

# A core has what is mapped of files that are nowhere any more.
cores()
{
	mkdir -p core.d && mount -t tmpfs -o size=16m tmpfs core.d
	# shellcheck disable=SC2016 # for the shell that is started
	"$PROFIL" -q -o core.out dash -c 'rm -r core.out
		cd core.d && ulimit -c unlimited && kill -QUIT $$' >seen 2>&1
	echo "status $?" >>seen
	ls -s core.d >>seen
	grep -q '^status 131$' seen && [ -s core.d/core ] &&
		[ "$(du -k core.d/core | cut -f 1)" -lt 4096 ]
	ok "a core has nothing of a profile, even if that was removed"
	umount core.d
}

# Processes that are there when their command has ended.
outliving()
{
	rm -f ready
	"$PROFIL" -q -o late.out dash -c "$CLIENTS/hot 40 wait >ready &"
	wait_ready ready
	"$PROFIL" report late.out >seen 2>&1
	grep -q '^1 process(es) still run$' seen && at_least 60 ' three '
	ok "a process that outlives its command is in the report, as one that runs"

	"$PROFIL" -q -o late.out "$CLIENTS/hot" 1
	[ "$(files late.out hot)" = 2 ]
	ok "its file stays where it is when another command is profiled there"

	kill -9 "$(pid_of hot)"
	while [ -n "$(pid_of hot)" ]; do sleep 0.1; done
	"$PROFIL" report late.out >seen 2>&1 && at_least 60 ' three ' &&
		! grep -q 'still run' seen && [ "$(longest late.out)" -lt 5000000 ]
	ok "when it was killed, the report cuts its file to what is in it"

	mkfifo late
	"$PROFIL" -q -o late.out --no-stacks dash -c "(read -r go <late; $CLIENTS/hot 40) &"
	sleep 0.2
	echo go >late
	while [ -n "$(pid_of hot)$(pid_of dash)" ]; do sleep 0.1; done
	[ "$(files late.out hot)" = 1 ] && [ "$(longest late.out hot)" -lt 25000000 ]
	ok "one that ends by exit() cuts it itself, with some room for what follows"

	"$PROFIL" report late.out >seen 2>&1 && at_least 60 ' three ' &&
		[ "$(longest late.out)" -lt 5000000 ]
	ok "and has all of its samples"

	"$PROFIL" -q -o late.out dash -c "(read -r go <late; $CLIENTS/hot 40) &"
	sleep 0.2
	echo go >late
	while [ -n "$(pid_of hot)$(pid_of dash)" ]; do sleep 0.1; done
	last=late.out
	[ "$(longest late.out hot)" -gt 25000000 ] && unwritable late.out &&
		"$PROFIL" report late.out >seen 2>&1 && at_least 60 ' three ' &&
		with_callers 98 && none_lost && in_records 98 && whole 98 &&
		[ "$(longest late.out hot)" -gt 25000000 ]
	ok "stacks that it has left behind the samples' room are all read there"
	umount late.out

	"$PROFIL" report late.out >seen 2>&1 && at_least 60 ' three ' &&
		with_callers 98 && none_lost && in_records 98 &&
		[ "$(longest late.out)" -lt 5000000 ]
	ok "and the report brings them to the samples, if it may write"
	rm -f late
}

# So that the report cannot cut what is there.
unwritable() { mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"; }

# with_callers PERCENT: of the samples of the report.
with_callers()
{
	awk -v least="$1" '
		/ samples with all callers, / { whole = $1 }
		/ samples, .* of CPU time in / { all = $1 }
		END { exit !(all && whole * 100 >= all * least) }' seen
}

# More than one profil in a directory.
together()
{
	rm -f ready
	"$PROFIL" -q -o both.out "$CLIENTS/hot" 40 wait >ready &
	wait_ready ready
	"$PROFIL" -q -o both.out dash -c "$CLIENTS/true; $CLIENTS/true" 2>seen
	grep -q 'both.out: another profil is at work there' seen &&
		[ "$(files both.out hot)" = 1 ] && [ "$(files both.out true)" = 2 ]
	ok "of two that profile into one directory, none removes the other's files"

	kill -9 "$(pid_of hot)"
	wait
	"$PROFIL" report both.out >seen 2>&1 && at_least 60 ' three '
	ok "and all samples are in it"

	run both.out dash -c "$CLIENTS/true; $PROFIL -q -o both.out $CLIENTS/hot 40; :" &&
		[ "$(files both.out dash)$(files both.out true)$(files both.out hot)" = 111 ] &&
		at_least 60 ' three '
	ok "what is profiled in what is profiled leaves what was there before"

	run both.out "$CLIENTS/true" && [ "$(files both.out)" = 1 ]
	ok "when all have ended, the next one removes what they have left"
}

# Ticks that the CPU time of the cgroup was worth.
ticks_of() { awk '$1 == "usage_usec" { print int($2 / 4000) }' "$1/cpu.stat"; }

# A process that takes more memory than its cgroup may have. What the kernel
# says of it on the console is meant to alarm, and would.
oom()
{
	local quiet=/sys/module/printk/parameters/ignore_loglevel status ticks
	mkdir -p cgroup && mount -t cgroup2 cgroup2 cgroup &&
		echo +memory >cgroup/cgroup.subtree_control &&
		mkdir cgroup/job && echo 16M >cgroup/job/memory.max
	echo N >$quiet
	dmesg -n 1
	# shellcheck disable=SC2016 # for the shell in the cgroup
	run oom.out -r tick dash -c 'echo $$ >cgroup/job/cgroup.procs && exec "$@"' \
		dash "$CLIENTS/hot" 100 memory
	status=$?
	echo Y >$quiet
	ticks=$(ticks_of cgroup/job)
	echo "status $status, CPU time of $ticks ticks" >>seen
	echo "# out of memory: $(samples) samples, CPU time of $ticks ticks"
	cat cgroup/job/memory.events >>seen
	[ $status = 137 ] && grep -q '^oom_kill 1$' seen && none_lost &&
		at_least 60 ' three ' && [ "$(samples)" -ge $((ticks - 3)) ] &&
		[ "$(samples)" -le $((ticks + 3)) ]
	ok "what the OOM killer ends has all of its ticks"
	rmdir cgroup/job
	umount cgroup
}

# --- code that comes and goes ----------------------------------------------------

objects()
{
	# 37, 25, 25 and 12 percent of the work; a busy machine takes ticks from any.
	LD_LIBRARY_PATH=$CLIENTS/plugins.d/usual \
		run plugins.out "$CLIENTS/plugins" "$CLIENTS/plugins.d" && none_lost &&
		grep -q '^same address$' stdout && at_least 20 ' first  *first.so' &&
		at_least 12 ' second  *second.so' && at_least 12 ' usual  *usual.so' &&
		at_least 6 ' by_name  *by_name.so'
	ok "plugins at one address are told apart, and RUNPATH is the caller's"

	run jit.out "$CLIENTS/jit" && at_least 80 ' made::while::running ' &&
		none_lost
	ok "code made by the program has the names it says"

	run inlined.out "$CLIENTS/inlined" && at_least 90 'work::Sum<' &&
		grep -q '::add.* (inlined into .*up_to' seen &&
		"$PROFIL" report -f folded inlined.out >stacks &&
		grep -q ';main;.*work::Sum.*up_to.*add\|up_to.*;.*add' stacks
	ok "C++ names are demangled, and inlined calls are frames"
}

# --- gprof ------------------------------------------------------------------------

# Samples in the histograms of gmon.out, by way of gprof.
gprof_share()
{
	gprof -b -p "$1" "$2" 2>/dev/null |
		awk -v name="$3" '$NF == name { printf "%d\n", $1 * 100 }'
}

# Rate and flags as the header of a profile has them.
header_rate() { od -A n -t u4 -j 72 -N 8 "$1" | awk '{ print $1, $2 }'; }

gmon()
{
	local kind file
	for kind in hot-pg hot-pg-nopie hot-pg-fentry; do
		rm -f gmon.out
		strace -f -o trace -E LD_PRELOAD="$PRELOAD" -E PROFIL_RATE=fast \
			-E PROFIL_DIRECTORY="$OUT/gmon.d" \
			"$CLIENTS/$kind" 200 >seen 2>&1
		mv gmon.out "$kind.gmon"
		gprof -b "$CLIENTS/$kind" "$kind.gmon" >seen 2>&1
		[ "$(gprof_share "$CLIENTS/$kind" "$kind.gmon" three)" -ge 6900 ] &&
			[ "$(gprof_share "$CLIENTS/$kind" "$kind.gmon" three)" -le 8100 ] &&
			grep -q 'Each sample counts as 0.001 seconds' seen &&
			grep -q ' 20000 .* three$' seen &&
			! grep -q -e '--- SIG' trace
		ok "$kind: gprof has the kernel's histogram and libc's arcs, no SIGPROF"
	done

	rm -f gmon.out
	LD_PRELOAD=$PRELOAD "$CLIENTS/hot-pg" 100 >seen 2>&1 &&
		gprof -b "$CLIENTS/hot-pg" gmon.out >seen 2>&1 &&
		grep -q 'Each sample counts as 0.001 seconds' seen &&
		[ "$(files profil.out hot-pg)" = 1 ] &&
		[ "$(header_rate profil.out/*)" = "2 2" ]
	ok "preloading alone gives profil's rate, and gmon.out has it too"

	GMON_OUT_PREFIX=$OUT/child LD_PRELOAD=$PRELOAD PROFIL_RATE=fast \
		PROFIL_DIRECTORY=$OUT/children.d "$CLIENTS/forks-pg" 4 >seen 2>&1
	for file in child.*; do
		echo "$(gprof_share "$CLIENTS/forks-pg" "$file" serve)" \
			"$(gprof_share "$CLIENTS/forks-pg" "$file" accept_request)" |
			awk 'NF == 2 { print "accept_request of a child:", $2 }
				NF == 1 { print "the parent" }'
	done >>seen
	rm -f child.*
	# The Nth child has N times 6 million of its parent's and 18 of its own,
	# in 100 random samples and more: 4 sigma are 17 percent.
	[ "$(sed -n 's/^accept.*: //p' seen | sort -n | awk '
		{ due = 10000 / (1 + 3 / NR); good += $1 > due - 1700 && $1 < due + 1700 }
		END { print good }')" = 4 ] &&
		[ "$(grep -c '^the parent$' seen)" = 1 ]
	ok "gmon.out of a -pg program's child has its own work and its parent's before"

	rm -f gmon.out
	run control.out "$CLIENTS/control" && mv gmon.out control.gmon &&
		gprof -b -p "$CLIENTS/control" control.gmon >seen 2>&1 &&
		[ "$(gprof_share "$CLIENTS/control" control.gmon counted)" -ge 9500 ]
	ok "what moncontrol() switches off is not in gmon.out"

	run control.out "$CLIENTS/control" &&
		at_least 40 ' counted ' && at_least 40 ' uncounted '
	ok "but it is in the profile"

	rm -f gmon.out
	run gdb.out gdb -nx -batch -iex 'maint set profile on' \
		-ex 'info functions hot' -ex 'info types .' \
		-ex 'maint set profile off' "$CLIENTS/hot-static" &&
		at_least 10 ' gdb ' && [ "$(wc -c <gmon.out)" -gt 1000000 ] &&
		mv gmon.out gdb.gmon
	ok "gdb's maint set profile writes gmon.out"

	rm -f gmon.out
	run gcl.out "$GCL" -dir "${GCL%/*}/" -libdir "${GCL%/*/*}/" \
		-load "$CLIENTS/sort.lsp" -eval '(quit)'
	{ find gcl.out -type f; head -n 12 stdout; } >seen
	grep -q 'Each sample counts as 0.001 seconds' stdout &&
		grep -q '^ *[1-9].*SORT__seqlib' stdout &&
		[ "$(files gcl.out saved_ansi_gcl)" -ge 2 ]
	ok "gcl executes itself again, and its own gprof has the kernel's samples"

	"$CLIENTS/hot" 1 && run hot.out "$CLIENTS/hot" 100 &&
		"$PROFIL" report -f gmon -o hot.gmon hot.out &&
		gprof -b -p "$CLIENTS/hot" hot.gmon >seen 2>&1 &&
		[ "$(gprof_share "$CLIENTS/hot" hot.gmon three)" -ge 6500 ]
	ok "gprof reads the profile of a program without -pg"
}

# --- programs that profile themselves ---------------------------------------------

selves()
{
	LD_PRELOAD=$PRELOAD PROFIL_DIRECTORY=$OUT/self.d "$CLIENTS/pcs" >seen 2>&1 &&
		[ "$(sed -n 's/^0 before, \([0-9]*\) samples$/\1/p' seen)" -gt 20 ]
	ok "a program's own pcsample() is the kernel's, and counts only its own"

	LD_PRELOAD=$PRELOAD PROFIL_DIRECTORY=$OUT/self.d "$CLIENTS/self" >seen 2>&1 &&
		grep -q '^[1-9][0-9]* samples 0 signals$' seen
	ok "a program's own profil() is the kernel's"

	run self.out "$CLIENTS/self" && at_least 90 ' busy ' &&
		grep -q 'profile(s) that programs started themselves' seen
	ok "it is told that the program's own profile is not in ours"

	run own.out "$CLIENTS/own" && at_least 40 ' before_it ' && at_least 40 ' after_it ' &&
		at_most 1 ' in_its_own ' && none_lost
	ok "a thread's own profile takes nothing but its ticks from ours"
}

# --- costs ---------------------------------------------------------------------------

# Instructions of ten runs of a command, divided by ten.
instructions() { "$CLIENTS/cost" 10 "$@"; }

# System calls in the last trace.
calls() { grep -c '^[0-9]* *[a-z][a-z0-9_]*(' trace; }

costs()
{
	local least most with without

	strace -f -o trace "$CLIENTS/true"
	without=$(calls)
	for _ in 1 2 3 4 5 6 7 8; do
		rm -rf cost.out
		strace -f -o trace "$PROFIL" -q -o cost.out "$CLIENTS/true" 2>seen
		echo $(($(calls) - without))
	done >each
	least=$(sort -n each | head -n 1) most=$(sort -n each | tail -n 1)
	cp each seen
	echo "# profil true: $least to $most system calls more"
	# 80 with the libc of Debian 12; that of 13 makes one more.
	[ "$least" -lt 82 ]
	ok "profil adds fewer than 82 system calls"
	# Where a tick came, its sample and its stack are brought together.
	[ "$most" -lt 92 ]
	ok "profil adds fewer than 92 system calls to a run with a sample"

	# One instruction is one nanosecond here: 5 ms of CPU time are 5 million.
	with=$(instructions "$PROFIL" -q -o cost.out "$CLIENTS/true")
	without=$(instructions "$CLIENTS/true")
	echo "profil true: $with instructions, true: $without" >seen
	echo "# profil true: $((with - without)) instructions more"
	[ $((with - without)) -lt 5000000 ]
	ok "profil adds fewer than 5 million instructions"

	strace -f -o trace -E LD_PRELOAD="$PRELOAD" -E PROFIL_RATE=fast \
		-E PROFIL_DIRECTORY="$OUT/quiet.d" "$CLIENTS/hot" 40
	# After the device's ioctl it is closed. At the end: is the file ours, by
	# memory and number; is the page there; exit.
	awk '/ ioctl/ { after = 0 } { after++ } END { print after }' trace >seen
	tail -n 12 trace >>seen
	[ "$(head -n 1 seen)" -le 7 ] && ! grep -q ' --- SIG' trace
	ok "no system call and no signal during the run"
}

# --- what cannot be done --------------------------------------------------------------

limits()
{
	"$PROFIL" -o static.out "$CLIENTS/hot-static" 1 >seen 2>&1 &&
		grep -q 'statically linked: it runs without a profile' seen
	ok "a static program runs, and it is said that there is no profile"

	"$PROFIL" -o 32.out "$CLIENTS/true32" >seen 2>&1 &&
		grep -q 'another word size: it runs without a profile' seen
	ok "a 32-bit program runs, and it is said that there is no profile"

	# It is glibc's in truth, so that it can run here.
	cp /lib64/ld-linux-x86-64.so.2 /lib/ld-musl-none.so.1
	"$PROFIL" -o musl.out "$CLIENTS/hot-musl" 1 >seen 2>&1 &&
		grep -q 'another C library.*runs without a profile' seen &&
		[ "$(files musl.out)" = 0 ]
	ok "a program of another C library runs, and it is said"

	cp "$CLIENTS/true" setuid && chown 65534 setuid && chmod 4755 setuid
	"$PROFIL" -o setuid.out ./setuid >seen 2>&1 &&
		grep -q 'changes its user or group' seen
	ok "a set-user-ID program runs, and it is said"

	"$PROFIL" nonesuch >seen 2>&1
	[ $? = 127 ] && grep -q 'nonesuch: No such file' seen
	ok "a command that is not there is status 127"

	"$PROFIL" ./guest-is-no-program >seen 2>&1
	[ $? = 127 ] && "$PROFIL" "$OUT" >seen 2>&1
	[ $? = 126 ]
	ok "a command that cannot be run is status 126"

	"$PROFIL" -o /proc/none "$CLIENTS/hot" 1 >seen 2>&1 &&
		grep -q '/proc/none: .*: .*hot runs without a profile' seen
	ok "a directory that cannot be made is said, and the program runs"

	mkdir -p full && mount -t tmpfs -o size=28k tmpfs full &&
		"$PROFIL" -o full "$CLIENTS/hot" 300 >seen 2>&1 &&
		grep -q 'disk full' seen && at_least 60 ' three '
	ok "a full disk is said, and what fitted is there"
	umount full

	mkdir -p full && mount -t tmpfs -o size=8k tmpfs full &&
		"$PROFIL" -o full "$CLIENTS/hot" 1 >seen 2>&1 &&
		grep -q 'No space left on device' seen
	ok "a disk without any room is said, and the program runs"
	umount full

	mkdir -p full && mount -t tmpfs -o size=16k tmpfs full &&
		"$PROFIL" -o full "$CLIENTS/hot" 40 >seen 2>&1 &&
		grep -q 'full: no samples: .* disk full' seen
	ok "a disk without room for a sample is said"
	umount full

	# A FUSE that root is not to see needs nobody who answers.
	mkdir -p fuse && mount -t fuse \
		-o fd=3,rootmode=40000,user_id=65534,group_id=65534 none fuse 3<>/dev/fuse &&
		"$PROFIL" -o fuse "$CLIENTS/hot" 1 >seen 2>&1 &&
		grep -q 'FUSE file system.*hot runs without a profile' seen
	ok "a file system that the kernel does not wait for is said"
	umount -l fuse

	run short.out -s 0100 "$CLIENTS/hot" 40 && [ "$(samples)" = 100 ] &&
		grep -q 'were full' seen
	ok "a file without room for more samples is said"

	(ulimit -v 500000; run small.out "$CLIENTS/hot" 40) &&
		(ulimit -f 10000; run small.out "$CLIENTS/hot" 40) &&
		at_least 60 ' three '
	ok "limits of address space and file size are kept"

	(ulimit -f 16; "$PROFIL" -o small.out "$CLIENTS/hot" 1 >seen 2>&1) &&
		grep -q 'File too large: hot runs without a profile' seen
	ok "a limit of file size that is too small for a profile is said"

	for _ in 1 2 3 4 5; do
		"$PROFIL" -r clock -o none.out "$CLIENTS/true" >seen 2>&1
		! grep -q '^profil: no samples in 0\.0[0-9]* s of CPU time$' seen || break
	done
	[ "$(wc -l <seen)" = 1 ] && grep -q 'no samples in' seen
	ok "without a sample, the CPU time is said, and nothing that is not known"

	mkdir -p jail && cp "$CLIENTS/hot-static" jail &&
		"$PROFIL" -o jail.out dash -c 'chroot jail /hot-static 400; :' >seen 2>&1
	grep -q 'of [0-9.]* s of CPU time, [0-9.]* s are in no profile' seen
	ok "time of programs that have no profile is said"

	"$PROFIL" -o whole.out "$CLIENTS/hot" 400 >seen 2>&1 &&
		! grep -q 'no profile' seen
	ok "and not of those that have one"

	mkdir -p alone/tools && cp "$PROFIL" "$PROFIL-report" alone/tools &&
		alone/tools/profil -o alone.out "$CLIENTS/hot" 1 >seen 2>&1 &&
		grep -q 'libprofil-preload.so: No such file.*: .*hot runs without a profile' seen &&
		[ "$(wc -l <seen)" = 1 ]
	ok "without its library a command runs, and one line says so"
	rm -rf jail alone

	"$PROFIL" -r clock -o clock.out "$CLIENTS/hot" 40 >seen 2>&1 &&
		grep -q '100 samples a second' seen
	ok "the rate can be 100 a second"

	echo 1 >/sys/module/profil/parameters/restrict_fastprof &&
		"$PROFIL" -o tick.out "$CLIENTS/hot" 100 >seen 2>&1 &&
		grep -q '250 samples a second (every tick)' seen
	ok "where the fast clock is restricted, it is every tick, and said"
	echo 0 >/sys/module/profil/parameters/restrict_fastprof
}

# Page faults that a disk has to answer.
disks()
{
	dd if=/dev/zero of=image bs=1M count=8 2>/dev/null
	mkdir -p disk
	mkfs.ext4 -q image && mount -o loop image disk || return

	run disk/profile "$CLIENTS/hot" 200 && none_lost &&
		at_least 69 ' three ' && at_most 81 ' three '
	ok "a file on ext4 has all samples"

	dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null
	truncate -s $(($(stat -c %s disk/fill) - 53248)) disk/fill
	"$PROFIL" -o disk/full "$CLIENTS/hot" 1500 >seen 2>&1 &&
		grep -q 'disk full' seen && at_least 60 ' three ' &&
		last=disk/full && stacks_fit 100000 && ! grep -q damaged seen
	ok "a full ext4 is said, and what fitted is there, with its stacks"
	umount disk
	rm -rf disk image
}

# A file system whose files have no holes.
solid()
{
	dd if=/dev/zero of=image bs=1M count=64 2>/dev/null
	mkdir -p disk
	mkfs.vfat image >/dev/null && mount -o loop image disk || return

	run disk/profile dash -c "for i in 1 2 3; do $CLIENTS/hot 20; done; :" &&
		none_lost && at_least 60 ' three ' && [ "$(files disk/profile hot)" = 3 ]
	ok "files on a disk without holes do not take all of it"
	umount disk

	# In memory that is never given back, reading a hole takes it, too.
	mount -t ramfs ramfs disk && run disk/profile "$CLIENTS/hot" 20 &&
		none_lost && at_least 60 ' three ' &&
		[ "$(longest disk/profile)" -lt 9000000 ]
	ok "where nobody can tell what is a hole, there are none"
	umount disk
	rm -rf disk image
}

# says TEXT: why there is no profile; the program runs all the same.
says()
{
	"$PROFIL" -o message.out "$CLIENTS/true" >seen 2>&1 &&
		grep -q "/dev/profil: $1.*: .*true runs without a profile\$" seen &&
		LD_PRELOAD=$PRELOAD "$CLIENTS/true" >seen 2>&1 &&
		grep -q "^libprofil-preload: /dev/profil: $1.*: true runs without" seen
}

messages()
{
	local parameters=/sys/module/profil/parameters

	echo N >$parameters/enabled
	says 'the administrator has switched profiling off'
	ok "that profiling is switched off is said of the device"
	echo Y >$parameters/enabled

	cp $parameters/max_profiles most
	echo 0 >$parameters/max_profiles
	says 'this user has as many profiles as the module.s max_profiles allows'
	ok "so is it that there are too many profiles"
	cat most >$parameters/max_profiles
	rm most

	mv /dev/profil /dev/elsewhere
	says 'not there: the kernel module.* is not loaded'
	ok "where there is no device, there may be a module"
	mv /dev/elsewhere /dev/profil

	strace -o trace -P /dev/profil -e inject=openat:error=EPERM \
		-E LD_PRELOAD="$PRELOAD" "$CLIENTS/true" >seen 2>&1
	grep -q '^libprofil-preload: /dev/profil: Operation not permitted: ' seen
	ok "what forbids to open the device is not taken for the administrator"
}

without_module()
{
	rmmod profil
	"$PROFIL" -o none.out "$CLIENTS/hot" 1 >seen 2>&1 &&
		grep -q 'kernel module is not loaded.*runs without a profile' seen &&
		[ "$(wc -l <seen)" = 1 ]
	ok "without the module a command runs, and one line says so"

	LD_PRELOAD=$PRELOAD "$CLIENTS/self" >seen 2>&1 &&
		grep -q '^[1-9][0-9]* samples 0 signals$' seen &&
		[ "$(grep -c 'libc profiles with SIGPROF instead' seen)" = 1 ]
	ok "without the module libc's profil() is used, and one line says so"

	rm -f gmon.out
	LD_PRELOAD=$PRELOAD "$CLIENTS/hot-pg" 300 >seen 2>&1 &&
		[ "$(gprof_share "$CLIENTS/hot-pg" gmon.out three)" -ge 6000 ]
	ok "without the module -pg programs write libc's gmon.out"
}

echo "TAP version 13"
for group in ${GROUPS_WANTED:-debian forks ends stacks churning cores outliving together objects gmon selves odd_programs messages costs limits disks solid}; do
	$group
done
# Files of 64 GiB are not for a tar archive, even if they are empty.
rm -rf stdout stderr seen ready trace setuid full fuse cgroup objects stacks fit ./*.d profil.out
echo "1..$tests"
[ $failed = 0 ]
