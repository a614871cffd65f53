#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Does what the examples of CONTRIBUTING.md say, each in a copy of the tree, and
# runs the tests that they name. In TAP.
#
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
. "$TOP/tests/check.sh"

# blocks EXAMPLE DIRECTORY: its blocks of code as NN, and where they go as NN.path.
blocks()
{
	mkdir "$2"
	awk -v title="## Example: $1" -v out="$2/" '
	function finish() {
		if (code == "")
			return
		file = out sprintf("%02d", ++n)
		printf "%s", code >file
		print path >(file ".path")
		code = blank = ""
	}
	/^## / { finish(); on = $0 == title }
	!on { next }
	/^        / { code = code blank substr($0, 9) "\n"; blank = ""; next }
	/^$/ { if (code != "") blank = blank "\n"; next }
	{
		finish()
		blank = ""
		while (match($0, /`[A-Za-z0-9_.\/-]+[.\/][a-z0-9]+`/)) {
			path = substr($0, RSTART + 1, RLENGTH - 2)
			$0 = substr($0, RSTART + RLENGTH)
		}
	}
	END { finish() }' "$TOP/CONTRIBUTING.md"
}

# insert BLOCK FILE: its first or last line stands there once, but for spaces and
# the end of a line that goes on. The others are indented as that one is. Of a line
# with - and one with +, the second stands where the first stood, once.
insert()
{
	awk '
	function bare(line) {
		sub(/[ \t]*\\$/, "", line)
		gsub(/[ \t]+/, " ", line)
		sub(/^ /, "", line)
		return line
	}
	function indent(line) { match(line, /^\t*/); return RLENGTH }
	NR == FNR { block[++n] = $0; next }
	{ line[++lines] = $0 }
	END {
		if (n == 2 && block[1] ~ /^-/ && block[2] ~ /^[+]/) {
			for (i = 1; i <= lines; i++)
				if ("-" line[i] == block[1]) {
					line[i] = substr(block[2], 2)
					first++
				}
			for (i = 1; i <= lines; i++)
				print line[i]
			exit first != 1
		}
		for (i = 1; i <= lines; i++) {
			if (bare(line[i]) == bare(block[1])) { first++; at = i }
			if (bare(line[i]) == bare(block[n])) { last++; end = i }
		}
		if (first != 1 && last != 1)
			exit 1
		like = first == 1 ? block[1] : block[n]
		if (first != 1)
			at = end
		for (i = indent(like); i < indent(line[at]); i++)
			tabs = tabs "\t"
		for (i = 1; i <= lines; i++) {
			if (i != at) { print line[i]; continue }
			for (j = 1; j <= n; j++)
				print (block[j] == "" ? "" : tabs block[j])
		}
	}' "$1" "$2" >"$2.new" && cat "$2.new" >"$2" && rm "$2.new"
}

# apply BLOCK TREE
apply()
{
	local path
	path=$2/$(cat "$1.path")
	unexpand --first-only "$1" >"$WORK/block"
	if [ -e "$path" ]; then
		insert "$WORK/block" "$path" ||
			{ echo "$path has neither end of ${1##*/}: $(head -n 1 "$1")"; return 1; }
	else
		mkdir -p "${path%/*}"
		cp "$WORK/block" "$path"
	fi
}

# copy TREE: what is ours.
copy()
{
	mkdir "$1"
	(cd "$TOP" && scripts/files.sh -n | tar -c -T -) | tar -x -C "$1"
}

follow()
{
	local block
	copy "$2" && blocks "$1" "$2.blocks" || return
	for block in "$2".blocks/??; do
		apply "$block" "$2" || return
	done
}

build() { make -s -C "$1" O="$WORK/build-$2" CFLAGS=-O0 "${@:3}"; }

# half EXAMPLE TREE COMMAND...: after the first step alone it says what is not there.
half()
{
	copy "$2" && apply "$WORK/$1.blocks/01" "$2" &&
		(cd "$2" && "${@:3}"; true) | grep -e '^not ok' -e 'is missing$'
}

try_format()
{
	local tree=$WORK/format build=$WORK/build-format
	build "$tree/tests/tools" format "$build/tools-tests/writers_test" &&
		CMOCKA_MESSAGE_OUTPUT=TAP "$build/tools-tests/writers_test" \
			>"$WORK/written" || return
	cat "$WORK/written"
	grep '^ok.*csv' "$WORK/written" &&
		"$tree/tests/tools/formats.sh" "$build/tools/profil-report" \
			>"$WORK/named" || return
	cat "$WORK/named"
	! grep '^not ok' "$WORK/named" && mandoc -Tlint -W warning "$tree"/man/profil{.1,-formats.5}
}

try_dialect()
{
	local tree=$WORK/dialect
	build "$tree/tests/lib" dialect check >"$WORK/tested" 2>&1
	local status=$?
	cat "$WORK/tested"
	! grep '^not ok' "$WORK/tested" && [ $status = 0 ] &&
		grep "^ok.*v7" "$WORK/tested" &&
		grep "Seventh Edition Unix" "$WORK/build-dialect/lib/libprofil-v7.pc" &&
		mandoc -Tlint -W warning "$tree/man/libprofil.7"
}

echo "1..9"
check "a report format can be added as it is written" \
	follow "a report format" "$WORK/format"
check "its tests pass" try_format
check "half of it is seen" half format "$WORK/half-format" tests/tools/formats.sh \
	"$WORK/build-format/tools/profil-report"
check "a dialect can be added as it is written" follow "a dialect" "$WORK/dialect"
check "its tests pass, and all of the library's" try_dialect
check "half of it is seen" half dialect "$WORK/half-dialect" tests/lib/dialects.sh
check "a kernel version can be added as it is written" \
	follow "a kernel version" "$WORK/kernel"
check "it is wherever one must be" "$WORK/kernel/tests/kernels.sh"
check "half of it is seen" half kernel "$WORK/half-kernel" tests/kernels.sh
