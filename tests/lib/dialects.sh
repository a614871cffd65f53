#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That all who name the systems name those of the table of dialects, in
# include/libprofil/dialects.h. In TAP.
# dialects.sh --systems: their names.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
table=include/libprofil/dialects.h

systems() { sed -n 's/^\tsystem(\([a-z0-9]*\),.*/\1/p' $table; }
numbers() { sed -n 's/^\t\(dialect\|tag\)([A-Z0-9_]*, \([0-9]*\)[,)].*/\2/p' $table; }
exported() { tr ' ' '\n' <tests/lib/exports.txt | sed -n "s/^$1_\([a-z0-9]*\)$/\1/p"; }

if [ "${1:-}" = --systems ]; then
	systems
	exit
fi

# same WHO WANTED WHOSE: words, in any order.
same()
{
	diff <(sort -u <<<"$2") <(sort -u <<<"$3") | diag
	[ "${PIPESTATUS[0]}" = 0 ]
	result "$1"
}

# have WHO FILE...: each system has one, in files of no other name.
have() { same "$1" "$(systems)" "$(printf '%s\n' "${@:2}" | sed 's|.*/||; s|\..*||; s|^test_||')"; }

# The library's and its tests' files that are of no system.
others=$({
	echo "device memory stacks preload glibc"
	printf 'include Makefile\nsources:\n\t@echo $(SOURCES)\n' |
		make -s -C libprofil -f - sources
} | tr ' ' '\n' | sed 's/\.c//' | grep -vxF "$(systems)" | paste -sd '|')
without() { printf '%s\n' "$@" | grep -vE "/(test_)?($others)\.c"; }

# shellcheck disable=SC2046 # words
{
	same "each dialect has a number of its own" "$(seq "$(numbers | wc -l)")" "$(numbers)"
	have "each system has a file" $(without libprofil/*.c)
	have "each system has headers" $(dirname include/*/libprofil_dialect.h)
	have "each system has unit tests" $(without tests/lib/test_*.c)
	have "each system has a program as it was written there" tests/lib/programs/*.c
}
same "libprofil(7) has each system" "$(systems)" \
	"$(sed -n 's/^\.It libprofil-\([a-z0-9]*\) Ta.*/\1/p' man/libprofil.7)"
same "the README has each system" "$(systems)" \
	"$(tr '\n' ' ' <README.md | grep -o '`libprofil-solaris`[^.]*' | grep -o -e '-[a-z0-9]*`' |
		tr -d '`-')"
same "sprofil(2) has each system with an sprofil()" "$(exported sprofil)" \
	"$(sed -n 's/^\.Pq Li libprofil-\([a-z0-9]*\)$/\1/p' man/sprofil.2)"
same "each system's profil() is exported" "$(systems)" "$(exported profil | grep -vx phase)"
tap_end
