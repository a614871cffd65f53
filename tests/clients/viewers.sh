#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# viewers.sh CLIENTS RESULTS: opens the profiles that run.sh brought back with
# the programs that people look at them with. Prints TAP.
#
# All viewers must name the same functions as the hottest ones, in the same
# order, of two profiles: a program of our own, and perl.

set -uo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
HERE=$TOP/tests/clients
CLIENTS=$1
RESULTS=$2
PROFIL=$O/tools/profil
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
tests=0 failed=0

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
	sed 's/^/# /' "$WORK/seen" | head -n 30
}

report() { "$PROFIL" report -f "$1" -o "$WORK/$2.$1" "$RESULTS/$2.out"; }

# Names of the two hottest functions, one way each; the input is in "seen".
two() { head -n 2 | paste -sd ' '; }
# With stacks, the table has one more column of percentages.
text_two() { awk '$1 ~ /%$/ { print $4 ~ /%$/ ? $5 : $4 }' "$WORK/seen" | two; }
gprof_two() { awk 'NF >= 4 && $1 + 0 > 0 { print $NF }' "$WORK/seen" | two; }
pprof_two() { awk '$2 ~ /[0-9]%$/ && $1 !~ /^Showing/ { print $6 }' "$WORK/seen" | two; }
callgrind_two()
{
	sed -n 's/^ *[0-9,]* (.*%) *[^ ]*:\([^ :]*\) \[.*/\1/p' "$WORK/seen" | two
}
folded_two()
{
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); sum[$0] += n }
	     END { for (f in sum) print sum[f], f }' "$WORK/seen" |
		sort -k1,1nr -k2 | cut -d' ' -f2- | two
}
json_two() { cut -d' ' -f2- "$WORK/seen" | two; }

# same NAME GOT: the same as the text report.
same()
{
	[ -n "$2" ] && [ "$2" = "$hottest" ]
	ok "$1: ${2:-nothing} (text: $hottest)"
}

compare()
{
	local name=$1 format
	"$PROFIL" report -n 0 "$RESULTS/$name.out" >"$WORK/seen"
	hottest=$(text_two)
	[[ $hottest == *' '* ]]
	ok "the text report of $name has two functions"
	for format in gmon pprof cpuprofile callgrind folded json; do
		report "$format" "$name" 2>"$WORK/seen"
		ok "$format of $name is written"
	done

	go tool pprof -top "$WORK/$name.pprof" >"$WORK/seen" 2>&1
	same "go tool pprof of $name" "$(pprof_two)"
	callgrind_annotate --auto=no "$WORK/$name.callgrind" >"$WORK/seen" 2>&1
	same "callgrind_annotate of $name" "$(callgrind_two)"
	cp "$WORK/$name.folded" "$WORK/seen"
	same "folded stacks of $name" "$(folded_two)"
	python3 "$HERE/speedscope.py" "$WORK/$name.json" >"$WORK/seen" 2>&1
	same "speedscope of $name" "$(json_two)"
}

# google-pprof takes names from the program itself, and has no others: of perl,
# which is stripped, it can only be asked for the number of samples.
google()
{
	google-pprof --text "$CLIENTS/hot" "$WORK/exit.cpuprofile" >"$WORK/seen" 2>&1
	hottest="three one"
	same "google-pprof of exit" "$(pprof_two)"
	google-pprof --text "$(type -P perl)" "$WORK/perl.cpuprofile" >"$WORK/seen" 2>&1
	hottest="Total: $("$PROFIL" report "$RESULTS/perl.out" |
			  sed -n 's/^\([0-9]* samples\),.*/\1/p')"
	same "google-pprof of perl" "$(grep '^Total' "$WORK/seen")"
}

# address FUNCTION: one in it, behind its first instruction.
address()
{
	printf '%x\n' $((0x$(nm "$CLIENTS/hot" | awk -v name="$1" \
				'$3 == name { print $1 }') + 4))
}

# costs NAME...: "NAME SHARE", of what the viewer says that they have reached.
costs()
{
	local name
	for name in "$@"; do
		grep -E "[ :]$(sed 's/[][]/\\&/g' <<<"$name")( \(inline\))?( \[.*)?\$" \
			"$WORK/seen" | tail -n 1 | grep -oE '[0-9.]+%' | "$last" -n 1 |
			sed "s/^/$name /; s/\.0*%/%/; s/00%/%/"
	done | paste -sd ' '
}

# Functions of a program as if _start() had called main(), and so on.
stacks()
{
	local file=$WORK/few.4711 all="_start 80% main 50% three 70% one 30%" last
	python3 -B "$TOP/tests/tools/few_stacks.py" "$file" "$CLIENTS/hot" \
		"$(address _start)" "$(address main)" "$(address three)" \
		"$(address one)"
	"$PROFIL" report -f pprof -o "$WORK/few.pprof" "$file" 2>"$WORK/seen" &&
		"$PROFIL" report -f callgrind -o "$WORK/few.callgrind" "$file" &&
		"$PROFIL" report -f cpuprofile -o "$WORK/few.cpuprofile" "$file"
	ok "stacks are written"
	last=tail hottest="$all [read] 30%"
	go tool pprof -top -cum "$WORK/few.pprof" >"$WORK/seen" 2>&1
	same "go tool pprof of stacks" "$(costs _start main three one '[read]')"
	go tool pprof -peek '^main$' "$WORK/few.pprof" >"$WORK/seen" 2>&1
	grep -qx ' 50ms 100% | _start' < <(tr -s ' ' <"$WORK/seen") &&
		grep -qx ' 50ms 100% | three' < <(tr -s ' ' <"$WORK/seen")
	ok "and it knows who called whom"
	callgrind_annotate --auto=no --inclusive=yes --threshold=100 \
		"$WORK/few.callgrind" >"$WORK/seen" 2>&1
	same "callgrind_annotate of stacks" "$(costs _start main three one '[read]')"
	callgrind_annotate --auto=no --inclusive=yes --threshold=100 --tree=both \
		"$WORK/few.callgrind" >"$WORK/seen" 2>&1
	grep -q '< .*:_start (50x)' "$WORK/seen" &&
		grep -q '> .*:three (50x)' "$WORK/seen"
	ok "and it knows who called whom, too"
	last=tail hottest=$all
	google-pprof --text --cum "$CLIENTS/hot" "$WORK/few.cpuprofile" \
		>"$WORK/seen" 2>&1
	same "google-pprof of stacks" "$(costs _start main three one)"
}

pictures()
{
	go tool pprof -svg -output "$WORK/go.svg" "$WORK/exit.pprof" \
		>"$WORK/seen" 2>&1 && grep -q '>three<' "$WORK/go.svg"
	ok "go tool pprof draws it"
	google-pprof --svg "$CLIENTS/hot" "$WORK/exit.cpuprofile" \
		>"$WORK/google.svg" 2>"$WORK/seen" &&
		grep -q '>three<' "$WORK/google.svg"
	ok "google-pprof draws it"
}

gprof_reads()
{
	gprof -b -p "$CLIENTS/hot" "$WORK/exit.gmon" >"$WORK/seen" 2>&1
	same "gprof of exit" "$(gprof_two)"
	gprof -b "$CLIENTS/hot-pg" "$RESULTS/hot-pg.gmon" >"$WORK/seen" 2>&1
	same "gprof of hot-pg" "$(gprof_two)"
}

annotated()
{
	"$PROFIL" annotate "$RESULTS/exit.out" three >"$WORK/seen" &&
		awk '/sink \+= i;/ { hot = $1 + 0 } END { exit !(hot > 30) }' \
			"$WORK/seen"
	ok "annotate shows source with the loop at the top"
	"$PROFIL" annotate --code "$RESULTS/exit.out" three >"$WORK/seen" &&
		awk '$1 ~ /%/ && $3 ~ /^[0-9a-f]+$/ { n += $2 } END { exit !(n > 100) }' \
			"$WORK/seen" && grep -q 'ret' "$WORK/seen"
	ok "annotate shows instructions"
	! "$PROFIL" annotate "$RESULTS/exit.out" nonesuch 2>"$WORK/seen" &&
		grep -q 'no samples in a function called nonesuch' "$WORK/seen"
	ok "annotate says what it does not find"
}

# hottest_row: the first row of the table, from below $WORK/root.
hottest_row()
{
	"$PROFIL" report --root="$WORK/root" "$RESULTS/exit.out" 2>"$WORK/seen" \
		>"$WORK/table"
	cat "$WORK/table" >>"$WORK/seen"
	grep -m1 '%' "$WORK/table"
}

free_port()
{
	python3 -c 'import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1])'
}

build_id() { readelf -n "$CLIENTS/hot" | sed -n 's/.*Build ID: //p'; }

# wait_for_file URL: until a server has it; the time is only to end somewhere.
wait_for_file()
{
	timeout 120 python3 -c 'import sys, time, urllib.request
while True:
    try:
        urllib.request.urlopen(sys.argv[1]).read()
        break
    except OSError:
        time.sleep(0.2)' "$1"
}

# The program without symbols, and its debug information somewhere else.
debug_files()
{
	local root=$WORK/root$CLIENTS server port loop
	port=$(free_port)
	# The line in the loop, or that of its head.
	loop=$(grep -n -m1 'sink += i;' "$HERE/hot.c" | cut -d: -f1)
	loop="($((loop - 1))|$loop)"
	mkdir -p "$root/.debug" "$WORK/store"
	objcopy --only-keep-debug "$CLIENTS/hot" "$WORK/store/hot.debug"
	objcopy --strip-all --add-gnu-debuglink="$WORK/store/hot.debug" \
		"$CLIENTS/hot" "$root/hot"
	hottest_row | grep -q ' hot+0x[0-9a-f]*  *hot  *0x'
	ok "a stripped program's functions are named by where they begin"

	cp "$WORK/store/hot.debug" "$root/.debug"
	hottest_row | grep -Eq " three  *hot  *hot.c:$loop\$"
	ok "a debug file beside the program is found"
	rm "$root/.debug/hot.debug"

	DEBUGINFOD_DATABASE=$WORK/debuginfod debuginfod -p "$port" -F \
		"$WORK/store" >"$WORK/debuginfod.log" 2>&1 &
	server=$!
	wait_for_file "http://127.0.0.1:$port/buildid/$(build_id)/debuginfo"
	DEBUGINFOD_URLS=http://127.0.0.1:$port DEBUGINFOD_CACHE_PATH=$WORK/cache \
		hottest_row | grep -Eq " three  *hot  *hot.c:$loop\$"
	ok "a debuginfod server is asked"
	{ kill $server; wait $server; } 2>/dev/null

	cp "$CLIENTS/forks" "$root/hot"
	hottest_row | grep -q ' hot+0x[0-9a-f]*  *hot  *0x' &&
		grep -q '/hot is not the file that was profiled' "$WORK/seen"
	ok "a program that is not the one that ran is not asked for names"
	rm "$root/hot"
	hottest_row | grep -q ' hot+0x[0-9a-f]*  *hot  *0x'
	ok "nor is one that is gone"
}

page()
{
	local line
	"$PROFIL" report --html -o "$WORK/page.html" "$RESULTS/exit.out" &&
		! grep -qE '(src|href)=' "$WORK/page.html"
	ok "the page is written, and needs nothing else"
	grep -q '"name":"three"' "$WORK/page.html" &&
		grep -q 'sink += i;' "$WORK/page.html"
	ok "the page has the source of its functions"
	"$HERE/page.sh" "$O" >"$WORK/seen"
	grep -q '^ok' "$WORK/seen"
	ok "the page works in a browser"
	while read -r line; do
		[[ $line == ok* ]]
		ok "page: ${line#*ok - }"
	done < <(grep -E '^(not )?ok ' "$WORK/seen")
}

echo "TAP version 13"
compare exit
gprof_reads
pictures
compare perl
google
stacks
annotated
debug_files
page
echo "1..$tests"
[ $failed = 0 ]
