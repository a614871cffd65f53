#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Profiles programs from Debian and our own in guests, then opens the profiles
# that come back with the viewers that people use. Prints TAP. "make all" has
# been run.
#
#   tests/clients/run.sh [GROUP...]	only these groups of the tests in the guest
#
# K in the environment is the kernel, CPUS=4 makes it one of several CPUs.

set -euo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
HERE=$TOP/tests/clients
CLIENTS=$O/clients
RESULTS=$O/clients-results

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
	"$TOP/tests/qemu/run.sh" -k "${K:-6.1}" "${@:2}" -t 1200 -m 2G "${files[@]}" \
		-f "$CLIENTS" -f "$O/tools" -f "$O/lib/libprofil-preload.so" \
		-f "$O/m32/lib/libprofil-preload.so" -f /lib/ld-linux.so.2 -f /lib32/libc.so.6 \
		-e CLIENTS="$CLIENTS" -e DATA="$CLIENTS/data" \
		-e PPROF="$(go tool -n pprof)" -e PYTHON="$python" -e GCL="${gcl[0]}" \
		-e WORDS="$(LC_ALL=C perl "$CLIENTS/words.pl" "$CLIENTS/data")" \
		-e ROWS="$(sqlite3 :memory: ".read $CLIENTS/table.sql")" \
		-e PROFIL="$O/tools/profil" -e PRELOAD="$O/lib/libprofil-preload.so" \
		-- "$python" -B "$CLIENTS/guest.py" "${wanted[@]}"
}

main()
{
	local status=0 one=(-i -l loop -l ext4 -l fuse -l vfat -l nls_cp437 -l nls_ascii
			    -o "$RESULTS")
	mapfile -t files < <(program_files)
	rm -rf "$RESULTS"
	if [ $# != 0 ]; then
		[ -z "${CPUS:-}" ] || one=(-c "$CPUS")
		guest "$@" -- "${one[@]}"
		exit
	fi
	guest "${groups[@]}" -- "${one[@]}" || status=$?
	guest threads churning without_module -- -c 4 || status=$?
	CLIENTS=$CLIENTS OUT=$RESULTS PROFIL=$O/tools/profil PRELOAD='' LC_ALL=C.UTF-8 \
		python3 -B "$HERE/viewers.py" || status=$?
	exit $status
}

main "$@"
