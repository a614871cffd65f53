#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Profiles programs from Debian and our own in guests, then opens the profiles
# that come back with the viewers that people use. Prints TAP. "make all" has
# been run.
#
#   tests/clients/run.sh [GROUP...]	only these groups of the tests in the guest
#
# K in the environment is the kernel, CPUS=4 makes it one of several CPUs. That of another
# machine has the groups that need no tools of this one.

set -euo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
HERE=$TOP/tests/clients
kernel=${K:-6.1}
MADE=$("$TOP/scripts/cross.sh" output "$kernel")
CLIENTS=$MADE/clients
RESULTS=$MADE/clients-results

# Files that the guest needs, at the paths where this machine has them.
# The gcl that has profiling in it.
gcl=(/usr/lib/gcl-*-prof/unixport/saved_ansi_gcl)
python=$(PATH=/usr/bin readlink -f /usr/bin/python3)
programs=(perl "${python##*/}" cyclictest sqlite3 pigz dash make gcc as ld gprof
	gdb strace env tmux mkfs.ext4 mkfs.vfat valgrind.bin)
groups=(debian forks ends stacks churning cores outliving together objects gmon
	odd_programs messages top serving costs limits disks solid alone)

# valgrind asks for the symbols of the dynamic linker.
linker_symbols()
{
	readelf -n /lib64/ld-linux-x86-64.so.2 |
		sed -n 's|.*Build ID: \(..\)\(.*\)|/usr/lib/debug/.build-id/\1/\2.debug|p'
}

program_files()
{
	local program path PATH=$PATH:/usr/sbin
	for program in "${programs[@]}"; do
		# All of it is read: who still writes for a reader that has gone fails.
		path=$(type -P -a "$program" | awk '/^\/usr\/s?bin\// && !n++')
		[ -n "$path" ] || die "missing program: $program"
		printf '%s\n' -f "$path"
	done
	printf '%s\n' -f "$(go tool -n pprof)" -f /usr/libexec/valgrind/default.supp \
		-f "$(linker_symbols)"
	for path in /usr/libexec/valgrind/*{core,memcheck,helgrind}-amd64-linux*; do
		printf '%s\n' -f "$path"
	done
	path=$(gcc -print-prog-name=cc1)
	printf '%s\n' -f "$path" -f "/usr/lib/${python##*/}" -f /bin/dash \
		-f "${gcl[0]}" -f /lib/ld-musl-x86_64.so.1 \
		-f "$(realpath /lib/ld-musl-x86_64.so.1)" \
		-f "$O/m32/lib/libprofil-preload.so" -f /lib/ld-linux.so.2 -f /lib32/libc.so.6 \
		-f /lib/terminfo/s/screen -f /lib/terminfo/d/dumb -f /usr/lib/locale/C.utf8
}

# guest GROUP... -- OPTION...: what programs print without a profile is told.
guest()
{
	local wanted=()
	while [ "$1" != -- ]; do
		wanted+=("$1")
		shift
	done
	"$TOP/tests/qemu/run.sh" -k "$kernel" "${@:2}" "${files[@]}" \
		-f "$CLIENTS" -f "$MADE/tools" -f "$MADE/lib/libprofil-preload.so" \
		-e CLIENTS="$CLIENTS" -e DATA="$CLIENTS/data" \
		-e PPROF="$(go tool -n pprof)" -e PYTHON="$python" -e GCL="${gcl[0]}" \
		-e WORDS="$(LC_ALL=C perl "$CLIENTS/words.pl" "$CLIENTS/data")" \
		-e ROWS="$(sqlite3 :memory: ".read $CLIENTS/table.sql")" \
		-e PROFIL="$MADE/tools/profil" -e PRELOAD="$MADE/lib/libprofil-preload.so" \
		-- "$python" -B "$CLIENTS/guest.py" "${wanted[@]}"
}

# Files and groups for another machine: its programs come as a tree. It has one CPU: several,
# emulated side by side on a busy machine, are too slow to count on.
of_machine()
{
	local tree
	tree=$("$TOP/scripts/programs.sh" tree "$kernel")
	files=(-t 3600 -m 4G -r "$tree")
	python=/usr/bin/$(readlink "$tree/usr/bin/python3")
	groups=(debian forks ends stacks churning cores outliving together objects messages
		threads without_module)
}

main()
{
	local status=0 one=(-i -l loop -l ext4 -l fuse -l vfat -l nls_cp437 -l nls_ascii
			    -o "$RESULTS")
	if is_cross "$kernel"; then
		of_machine
	else
		mapfile -t files < <(program_files)
		files+=(-t 1200 -m 2G)
	fi
	rm -rf "$RESULTS"
	if [ $# != 0 ]; then
		[ -z "${CPUS:-}" ] || one=(-c "$CPUS")
		guest "$@" -- "${one[@]}"
		exit
	fi
	guest "${groups[@]}" -- "${one[@]}" || status=$?
	is_cross "$kernel" || guest threads churning without_module -- -c 4 || status=$?
	CLIENTS=$CLIENTS OUT=$RESULTS PROFIL=$O/tools/profil PRELOAD='' LC_ALL=C.UTF-8 \
		python3 -B "$HERE/viewers.py" "$(! is_cross "$kernel" || echo foreign)" || status=$?
	exit $status
}

main "$@"
