#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Profiles programs from Debian and our own in guests, then opens the profiles
# that come back with the viewers that people use. Prints TAP. "make all" has
# been run.
#
#   tests/clients/run.sh [GROUP...]	only these groups of guest.sh
#
# K in the environment is the kernel.

set -euo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
HERE=$TOP/tests/clients
CLIENTS=$O/clients
RESULTS=$O/clients-results
RUN=$TOP/tests/qemu/run.sh

# Files that the guest needs, at the paths where this machine has them.
# The gcl that has profiling in it.
gcl=(/usr/lib/gcl-*-prof/unixport/saved_ansi_gcl)
python=$(readlink -f /usr/bin/python3)
programs=(perl "${python##*/}" cyclictest sqlite3 gzip xz pigz zstd dash make gcc as ld gprof
	gdb strace mkfs.ext4 mkfs.vfat)

program_files()
{
	local program path PATH=$PATH:/usr/sbin
	for program in "${programs[@]}"; do
		# All of it is read: who still writes for a reader that has gone fails.
		path=$(type -P -a "$program" | awk '/^\/usr\/s?bin\// && !n++')
		[ -n "$path" ] || die "missing program: $program"
		printf '%s\n' -f "$path"
	done
	path=$(gcc -print-prog-name=cc1)
	printf '%s\n' -f "$path" -f "/usr/lib/${python##*/}" -f /bin/dash \
		-f "${gcl[0]}"
}

# The same programs without a profile.
expect()
{
	words=$(LC_ALL=C perl "$CLIENTS/words.pl" "$CLIENTS/data")
	rows=$(sqlite3 :memory: ".read $CLIENTS/table.sql")
}

# guest OPTIONS... -- : guest.sh with its environment.
guest()
{
	"$RUN" -k "${K:-6.1}" "$@" -t 1200 -m 2G -f "$CLIENTS" -f "$O/tools" \
		-f "$O/lib/libprofil-preload.so" \
		-e CLIENTS="$CLIENTS" -e DATA="$CLIENTS/data" \
		-e PYTHON="$python" -e GCL="${gcl[0]}" -e WORDS="$words" -e ROWS="$rows" \
		-e PROFIL="$O/tools/profil" \
		-e PRELOAD="$O/lib/libprofil-preload.so" \
		-- "$CLIENTS/guest.sh"
}

main()
{
	local files status=0
	files=$(program_files) || exit
	mapfile -t files <<<"$files"
	expect
	rm -rf "$RESULTS"
	if [ "${1:-}" = threads ]; then
		guest -c 4 "${files[@]}" -e GROUPS_WANTED="$*" || status=$?
		exit $status
	fi
	guest -i -l loop -l ext4 -l fuse \
		-l vfat -l nls_cp437 -l nls_ascii "${files[@]}" -o "$RESULTS" -e GROUPS_WANTED="$*" ||
		status=$?
	[ $# = 0 ] || exit $status
	guest -c 4 "${files[@]}" -e GROUPS_WANTED="threads churning without_module" ||
		status=$?
	"$HERE/viewers.sh" "$CLIENTS" "$RESULTS" || status=$?
	exit $status
}

main "$@"
