#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# That what the documents name in `quotes` is there: files, tests in them, suites,
# targets of make, and PROFIL_ names; and that CONTRIBUTING.md names each directory.
# Silent if so.
# Usage: docs.sh [DOCUMENT...]

set -euo pipefail
cd "$(dirname "$0")/.."
all=''
[ $# -gt 0 ] || all=1
[ -z "$all" ] || set -- README.md CONTRIBUTING.md docs/*.md docs/*/*.md
status=0
files=$(find . \( -path ./.git -o -path ./build -o -path ./.git/\* \) -prune -o \
	-type f -print | sed 's/^\.//')
suites=$(tests/suite.sh -h)

complain()
{
	echo "$1: there is no $2"
	status=1
}

# A path from the top, or the end of one: "kick.c" is kmod/kick.c.
is_file() { [ -e "$1" ] || grep -q "/${1//./\\.}\$" <<<"$files"; }

# A test in a file: "page.c: page_cannot_be_written_through_proc_mem", or its beginning and "...".
is_test()
{
	local file
	file=$(grep "/${1%%:*}\$" <<<"$files" | sed 's/^/./')
	# shellcheck disable=SC2086 # there may be several
	[ -n "$file" ] && sed 's/[.][.][.]$//' <<<"${1#*: }" | grep -qrFf - $file
}

is_directory() { [ -d "$1" ] || grep -q "/${1%/}/" <<<"$files"; }

is_suite() { grep -q "^  ${1%%:*}[: ]" <<<"$suites"; }

is_target() { grep -q "^$1:" Makefile; }

is_name()
{
	# One with a * stands for several.
	grep -rqE "\\<${1//\*/[A-Z_]*}" kmod include libprofil tools tests scripts
}

for document; do
	while read -r quoted; do
		case $quoted in
		*[!A-Za-z0-9_./:*\ -]*) continue ;;
		'make '*' '*|'make test-NAME') continue ;;
		'make test-'*) is_suite "${quoted#make test-}" ||
			complain "$document" "suite $quoted" ;;
		'make '*) is_target "${quoted#make }" ||
			complain "$document" "target $quoted" ;;
		*.c:\ *) is_test "$quoted" || complain "$document" "test $quoted" ;;
		guest:*|bench:*|stress:*|faultinj:*|runner:*|iofuzz:*)
			is_suite "$quoted" || complain "$document" "suite $quoted" ;;
		PROFIL_*) is_name "$quoted" || complain "$document" "$quoted" ;;
		# What is built.
		*' '*|/*|-*|*\**|build/*) continue ;;
		*/) is_directory "$quoted" || complain "$document" "directory $quoted" ;;
		*?.c|*?.h|*.sh|*.awk|*.md|*.mk|*.pml|*.py)
			is_file "$quoted" || complain "$document" "file $quoted" ;;
		esac
	done < <(tr '\n' ' ' <"$document" | grep -o '`[^`]*`' | tr -d '`' | sort -u)
done
if [ -n "$all" ]; then
	while read -r directory; do
		grep -qE "^ +(${directory%%/*}/)?${directory#*/}/ " CONTRIBUTING.md ||
			complain CONTRIBUTING.md "$directory/"
	done < <(scripts/files.sh | sed -nE 's,^((tests|tools|examples|libprofil)/[a-z]+|[a-z.]+)/.*,\1,p' | grep -vx tests | sort -u)
fi
exit $status
