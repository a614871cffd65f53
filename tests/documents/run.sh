#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Does what the documents say, command by command, and compiles and runs the C that
# is in them: README.md, CONTRIBUTING.md, the tutorial, and the EXAMPLES of the man
# pages. Compilers run here, all else in one guest. What other suites do, and what
# cannot be done, is in elsewhere.txt. TAP.
#
#   tests/documents/run.sh [DOCUMENT...]

set -euo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
HERE=$TOP/tests/documents
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
GUEST=$WORK/guest
K=${K:-6.1}
number=0 failed=0 waiting=0 last=''

# document NAME: sets $where to its directory, where all is that it speaks of.
document()
{
	where=$WORK/in/${1##*/}
	mkdir -p "$where"
	cp "$HERE"/fixtures/* "$where"
	cp "$WORK/large.c" "$WORK/file" "$WORK/program" "$where"
	case $1 in
	README.md | docs/*) top ;;
	esac
	blocks "$1" >"$where.blocks"
}

# top: what is in the top directory of the sources, as far as it is spoken of.
top()
{
	local release
	mkdir -p "$where"/{kmod,libprofil,examples}
	cp "$TOP"/kmod/*.c "$where/kmod"
	cp "$TOP"/libprofil/*.c "$where/libprofil"
	cp "$TOP"/examples/*.c "$where/examples"
	release=$("$TOP/scripts/kernel.sh" release "$K")
	mkdir -p "$where/build/$release"
	ln -s "/lib/modules/$release/extra/profil.ko" "$where/build/$release/profil.ko"
}

blocks() { awk -v code="$where/" -f "$HERE/blocks.awk" "$TOP/$1"; }

# What fixtures are made of rather than written.
make_fixtures()
{
	local i
	cat "$TOP"/kmod/*.c >"$WORK/file"
	for ((i = 0; i < 20; i++)); do
		echo "int f$i(int *a, int n) { int s = $i; for (int i = 0; i < n; i++)" \
			"s += a[i] * $i; return s ? s : f$i(a, n - 1); }"
	done >"$WORK/large.c"
	cc -g -O2 -o "$WORK/program" "$HERE/fixtures/program.c"
	mkdir -p "$GUEST/bin"
	printf '#!/bin/sh\nexec "$@"\n' >"$GUEST/bin/sudo"
	chmod +x "$GUEST/bin/sudo"
}

# For pkg-config, and for no directory of the system.
install_library()
{
	make -s -C "$TOP/libprofil" O="$O" DESTDIR="$WORK/root" install >&2
	export PKG_CONFIG_PATH=$WORK/root/usr/local/lib/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR=$WORK/root
}

result()
{
	local status=$1
	number=$((number + 1))
	if [ "$status" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
		tail -n 30 "$WORK/log" | sed 's/^/# /'
	fi
}

# here NAME COMMAND: now, in the document's directory.
here()
{
	local status=0
	last=''
	(cd "$where" && sh -c "$2") >"$WORK/log" 2>&1 </dev/null || status=$?
	result $status "$1"
}

# later NAME COMMAND: in the guest, which gives it the number that it has here.
later()
{
	local at
	number=$((number + 1))
	at=$GUEST/$(printf %03d $number)
	echo "$2" >"$at.command"
	echo "$1" >"$at.name"
	echo "$where" >"$at.where"
	: >"$at.words"
	waiting=$((waiting + 1))
	last=$at
}

# A line that is shown below a command: its words are there, whatever the numbers.
shown()
{
	[ -n "$last" ] || die "shown below a command that is not run in the guest: $1"
	grep -oE '[A-Za-z_]{4,}' <<<"$1" >>"$last.words" || true
}

# code NAME FILE: a program, or a piece of one.
code()
{
	local file=$where/$2
	if ! grep -q '^int main(' "$file"; then
		{
			cat "$HERE/around.h"
			echo 'int main(void)'
			echo '{'
			cat "$file"
			echo 'return 0;'
			echo '}'
		} >"$where/piece.c"
		mv "$where/piece.c" "$file"
		cp "$file" "$where/program.c"
	fi
	# shellcheck disable=SC2016 # the shell that runs it has that
	here "$1: $2 compiles" "cc -Wall -Wextra -Werror -o ${2%.c} $2 "'$(pkg-config --cflags --libs libprofil)'
	if grep -q 'argc' "$file"; then
		later "$1: $2 reads a profile" \
			"profil -q -o profile ./program && ./${2%.c} profile/*"
	else
		later "$1: $2 runs" "./${2%.c}"
	fi
}

# Where else it is done, if it is.
elsewhere()
{
	awk -F '\t' -v document="$1" -v what="$2" '
		$1 == document && $2 == what { print $3; exit }' "$HERE/elsewhere.txt" |
		grep . && printf '%s\t%s\n' "$1" "$2" >>"$WORK/used"
}

follow()
{
	local kind text skipped=''
	document "$1"
	# Their C first: commands compile it.
	while IFS=$'\t' read -r kind text; do
		[ "$kind" != code ] || code "$1" "$text"
	done <"$where.blocks"
	while IFS=$'\t' read -r kind text; do
		case $kind in
		section) skipped=$(elsewhere "$1" "$text" || true) ;;
		output) [ -n "$skipped" ] || shown "$text" ;;
		command)
			if [ -n "$skipped" ] || elsewhere "$1" "$text" >/dev/null; then
				last=''
				continue
			fi
			case $text in
			'cc '* | 'mkdir '*) here "$1: $text" "$text" ;;
			*) later "$1: $text" "$text" ;;
			esac
			;;
		esac
	done <"$where.blocks"
}

run_guest()
{
	local program files=() status=0
	for program in bash gzip make gcc as ld; do
		files+=(-f "$(type -P "$program")")
	done
	files+=(-f /usr/sbin/depmod -f /usr/sbin/modprobe)
	cp "$HERE/guest.sh" "$GUEST/guest.sh"
	"$TOP/tests/qemu/run.sh" -k "$K" -n -i -m 2G -t 300 "${files[@]}" \
		-f "$(gcc -print-prog-name=cc1)" -f "$GUEST" -f "$WORK/in" \
		-- "$GUEST/guest.sh" "$GUEST" >"$WORK/tap" || status=$?
	sed 's/^\(\(not \)\?ok \)0*/\1/' "$WORK/tap"
	[ $status = 0 ] || failed=1
}

# The table has no row that nothing needs, and the suites that it names.
table()
{
	local suites row of what by
	suites=$("$TOP/tests/suite.sh" -h | sed -n 's/^  \([a-z]*\)[: ].*/\1/p')
	while IFS=$'\t' read -r of what by; do
		row="$of: $what"
		[[ $of != \#* ]] || continue
		grep -qxF "$of"$'\t'"$what" "$WORK/used" || echo "$row: is not in it"
		[[ $by = not:* || $by = .ci/run ]] || grep -qx "$by" <<<"$suites" ||
			echo "$row: there is no suite $by"
	done <"$HERE/elsewhere.txt" >"$WORK/log"
	[ ! -s "$WORK/log" ]
}

main()
{
	local document
	cd "$TOP"
	: >"$WORK/used"
	make_fixtures
	install_library
	echo "TAP version 13"
	if [ $# != 0 ]; then
		for document; do
			follow "$document"
		done
	else
		for document in README.md CONTRIBUTING.md docs/tutorial.md man/*.[1-9]; do
			follow "$document"
		done
		status=0
		table || status=$?
		result $status "what is done elsewhere is in a document, and is done"
	fi
	echo "1..$number"
	run_guest
	[ $failed = 0 ]
}

main "$@"; exit
