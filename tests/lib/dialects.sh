#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That all who name the systems name those of the table of dialects, in
# include/libprofil/dialects.h. In TAP.
# dialects.sh --systems: their names.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
table=include/libprofil/dialects.h
count=0

systems() { sed -n 's/^\tsystem(\([a-z0-9]*\),.*/\1/p' $table; }
numbers() { sed -n 's/^\t\(dialect\|tag\)([A-Z0-9_]*, \([0-9]*\)[,)].*/\2/p' $table; }

if [ "${1:-}" = --systems ]; then
	systems
	exit
fi

# same WHO WANTED WHOSE: words, in any order.
same()
{
	local missing more
	count=$((count + 1))
	missing=$(comm -23 <(sort -u <<<"$2") <(sort -u <<<"$3") | paste -sd ' ')
	more=$(comm -13 <(sort -u <<<"$2") <(sort -u <<<"$3") | paste -sd ' ')
	[ -z "$missing$more" ] || printf 'not '
	echo "ok $count - $1"
	[ -z "$missing" ] || echo "# it lacks: $missing"
	[ -z "$more" ] || echo "# the table has no: $more"
}

# those NAME...: of files in the place of %, what stands there.
those() { printf '%s\n' "$@" | sed 's|.*/||; s|\..*||; s|^test_||'; }

# The library's files, as make has them.
library=$(printf 'include Makefile\nsources:\n\t@echo $(SOURCES)\n' |
	make -s -C libprofil -f - sources | tr ' ' '\n')

echo "1..9"
same "each dialect has a number of its own" "$(seq "$(numbers | wc -l)")" "$(numbers)"
same "each system has a file" "$(systems)" \
	"$(those libprofil/*.c | grep -vxF "$(sed 's/\.c//' <<<"$library" |
		grep -vxF "$(systems)")")"
same "each system has headers" "$(systems)" \
	"$(dirname include/*/libprofil_dialect.h | sed 's|.*/||')"
same "each system has unit tests" "$(systems)" \
	"$(those tests/lib/test_*.c | grep -vxE 'kernel|device|memory|stacks|preload|glibc')"
same "each system has a program as it was written there" "$(systems)" \
	"$(those tests/lib/programs/*.c)"
same "libprofil(7) has each system" "$(systems)" \
	"$(sed -n 's/^\.It libprofil-\([a-z0-9]*\) Ta.*/\1/p' man/libprofil.7)"
same "the README has each system" "$(systems)" \
	"$(sed -n '/libprofil-solaris)$/,/libprofil`/p' README.md |
		grep -o -e '-solaris)' -e '`-[a-z0-9]*`' | tr -d '`)-')"
same "sprofil(2) has each system with an sprofil()" \
	"$(sed -n 's/^LIBPROFIL_1.0 sprofil_\([a-z0-9]*\)$/\1/p' tests/lib/exports.txt)" \
	"$(sed -n 's/^\.Pq Li libprofil-\([a-z0-9]*\)$/\1/p' man/sprofil.2)"
same "each system's profil() is exported" "$(systems)" \
	"$(sed -n 's/^LIBPROFIL_1.0 profil_\([a-z0-9]*\)$/\1/p' tests/lib/exports.txt)"
