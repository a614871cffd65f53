#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Static checks of everything, in TAP. A tool that says anything has failed.
#
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
cd "$TOP" || exit 1

count=0

# check NAME COMMAND...: it must succeed and be silent.
check()
{
	local name=$1 output status=0
	shift
	count=$((count + 1))
	output=$("$@" 2>&1) || status=$?
	if [ $status = 0 ] && [ -z "$output" ]; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' <<<"$output" | head -n 300
	fi
}

# sources PATTERN...: files that are ours, with names like these.
sources() { scripts/files.sh -n "$@"; }

scripts()
{
	sources | while read -r file; do
		if head -n 1 "$file" | grep -qE '^#!.*[/ ](ba|da)?sh\b'; then
			echo "$file"
		fi
	done
}

lint_scripts()
{
	# shellcheck disable=SC2046 # one word per file
	shellcheck $(scripts) scripts/common.sh scripts/apt.sh \
		tests/qemu/hang.sh tests/qemu/watch.sh
}

# Wherever the environment has cd look first.
lint_place()
{
	scripts/module.sh -l | diff - <(CDPATH=. scripts/module.sh -l)
}

# The licence is on the first line, or on the next after #! and hints.
lint_licences()
{
	local file
	sources '*.[chS]' '*.sh' '*.py' '*.awk' '*Makefile' '*Kbuild' \
		'*.md' '*.yml' .ci/run VERSION dkms.conf | while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' ||
			echo "$file: no SPDX line"
	done
}

# spelling LICENCE: as Debian's copyright file has it.
spelling()
{
	case $1 in
	LGPL-2.1-or-later) echo LGPL-2.1+ ;;
	GPL-2.0-only) echo GPL-2 ;;
	'GPL-2.0-only WITH Linux-syscall-note') echo GPL-2 with Linux-syscall-note exception ;;
	'GPL-2.0-only AND LGPL-2.1-or-later') echo GPL-2 and LGPL-2.1+ ;;
	*) echo "$1" ;;
	esac
}

# Debian's copyright file has the licence that a file has: the last that names the file,
# where a * stands for what has a / in it, too.
lint_copyright()
{
	local file pattern licence patterns=() licences=() i
	while IFS=$'\t' read -r pattern licence; do
		patterns=("$pattern" "${patterns[@]}")
		licences=("$licence" "${licences[@]}")
	done < <(awk '/^Files:/ { list = substr($0, 7); on = 1; next }
		on && /^ / { list = list $0; next }
		{ on = 0 }
		/^License:/ && list != "" {
			n = split(list, of, " ")
			for (i = 1; i <= n; i++)
				print of[i] "\t" substr($0, 10)
			list = ""
		}' packaging/debian/copyright)
	sources | xargs grep -m 1 -ao 'SPDX-License-Identifier: [A-Za-z0-9. -]*[a-z]' |
	while IFS=: read -r file _ licence; do
		for ((i = 0; i < ${#patterns[@]} - 1; i++)); do
			# shellcheck disable=SC2053 # it is a pattern
			[[ $file != ${patterns[i]} ]] || break
		done
		[ "$(spelling "${licence# }")" = "${licences[i]}" ] ||
			echo "$file:$licence, but ${licences[i]} in packaging/debian/copyright"
	done
}

# sparse and the compiler's extra warnings, with all that the module can have; and
# with what those have in their environment who build kernels.
lint_module()
{
	KBUILD_OUTPUT=$O/lint/none "$TOP/scripts/module.sh" -d "$O/lint/$1" "$1" PROFIL_DELAYS=1 \
		W=1 C=2 >/dev/null
}

# lint_without OPTION...: with headers that have the first of these off, and what
# needs it. Only the compiler is asked: no such kernel is booted.
lint_without()
{
	local header=$O/lint/without-$1-$#.h names=("${@/#/CONFIG_}")
	mkdir -p "$O/lint"
	printf '#undef %s\n' "${names[@]}" >"$header"
	"$TOP/scripts/module.sh" -d "${header%.h}" 6.12 W=1 "${names[@]/%/=}" \
		"KCFLAGS=-include $header" >/dev/null
}

# Kernels that bring their tools are of a suite that moves on: "make check-kernels"
# builds for these, as long as they can be had.
released_kernels()
{
	local kernel
	for kernel in $PACKAGED_KERNELS $FURTHER_KERNELS; do
		[ -n "$("$TOP/scripts/kernel.sh" tools "$kernel")" ] || echo "$kernel"
	done
}

lint_style()
{
	local checkpatch file ignore
	checkpatch=$CACHE/6.12-source/scripts/checkpatch.pl
	for file in $(sources 'kmod/*.[ch]' 'include/uapi/linux/*.h'); do
		ignore=FILE_PATH_CHANGES
		# The one place that may ask for the kernel's version.
		[ "$file" != kmod/compat.h ] ||
			ignore+=,LINUX_VERSION_CODE,CONSTANT_COMPARISON
		perl "$checkpatch" --no-tree --strict --terse --no-summary -q \
			--ignore "$ignore" -f "$file"
		perl "${checkpatch%/*}/kernel-doc" -none "$file" 2>&1
	done
}

# Whatever git writes for who makes it, and whatever tree it is at work on. Each test is
# among the programs of the series' Makefile.
lint_series()
{
	local work=$O/lint/series maker='R&D/Kernel' test
	rm -rf "$work"
	mkdir -p "$work/tmp" "$work/other"
	printf '[diff]\n\tnoprefix = true\n[user]\n\tname = %s\n\temail = rd@example.org\n' \
		"$maker" >"$work/gitconfig"
	GIT_DIR=$work/other/.git git init -q
	GIT_DIR=$work/other/.git GIT_CONFIG_GLOBAL=$work/gitconfig TMPDIR=$work/tmp O=$work \
		scripts/kernel_patch.sh check || return
	! grep -L '^+++ b/' "$work"/kernel-patch/000[1-9]-*.patch | grep . || return
	grep -qxF "+M:	$maker <rd@example.org>" "$work"/kernel-patch/0006-*.patch ||
		echo "$maker does not maintain it"
	[ -z "$(ls -A "$work/tmp")" ] ||
		echo "something is left in \$TMPDIR: $(ls -A "$work/tmp")"
	! GIT_DIR=$work/other/.git git rev-parse -q --verify HEAD ||
		echo "the tree that GIT_DIR names has a commit"
	(cd tests/selftests && grep -l '^TEST(' ./*.c) | sed 's,^\./,,; s/\.c$//' |
		grep -vx -e library -e misbehave | while read -r test; do
			grep -qx "+$test" "$work"/kernel-patch/0005-*.patch ||
				echo "the series does not make the test $test"
		done
}

# That the table is the one that was recorded, and that one without its first line,
# which nobody could tell that of, is not passed over.
lint_table()
{
	local tree
	tests/table.sh -c || return
	tree=$(mktemp -d)
	mkdir "$tree/scripts" "$tree/tests"
	cp scripts/common.sh "$tree/scripts"
	cp tests/suite.sh tests/table.* tests/results.tsv "$tree/tests"
	sed '/^<!-- The table of "make table" begins/d' README.md >"$tree/README.md"
	! "$tree/tests/table.sh" -c >/dev/null 2>&1 ||
		echo "a table that has lost its first line is passed over"
	rm -rf "$tree"
}

# What is no one directory is refused, before "rm -rf $(O)/lib" is a system's /lib.
lint_output()
{
	local makefile output
	for makefile in $(sources Makefile '*/Makefile'); do
		grep -q '^clean:' "$makefile" || continue
		for output in '' '/nowhere/of mine'; do
			! make -n -C "$(dirname "$makefile")" clean O="$output" \
				>/dev/null 2>&1 || echo "$makefile takes O=\"$output\""
		done
	done
}

lint_man()
{
	# shellcheck disable=SC2046 # one word per file
	mandoc -Tlint -W warning $(sources 'man/*.[1-9]')
}

# shown PAGE [OPTION...]: as a terminal has it, but for what is struck over.
shown() { mandoc -Tascii "${@:2}" "$1" | sed 's/.\x08//g'; }

# What is to be typed is shown as it is to be typed: a full stop of its own is not. And
# tables are not wider than a terminal, for which man breaks them.
lint_shown()
{
	local page text_shown kind text
	mkdir -p "$O/lint"
	for page in $(sources 'man/*.[1-9]'); do
		text_shown=$(shown "$page" -Owidth=200)
		while IFS=$'\t' read -r kind text; do
			[ "$kind" != command ] || grep -qF -e "$text" <<<"$text_shown" ||
				echo "$page: is not shown: $text"
		done < <(awk -v code="$O/lint/" -f tests/documents/blocks.awk "$page")
		shown "$page" | awk -v page="$page" '
			/^     [^ ]/ && length > 78 { print page ": is too wide: " $0 }'
	done
}

lint_library()
{
	# shellcheck disable=SC2046 # one word per file
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability \
		--inline-suppr -Iinclude -Iinclude/uapi -Ilibprofil \
		$(sources 'libprofil/*.c')
}

lint_tools()
{
	# What protoc-c and the page's script make is not checked.
	# shellcheck disable=SC2046 # one word per file
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability \
		--inline-suppr -Iinclude -Iinclude/uapi -Itools \
		-D_GNU_SOURCE -DVERSION='""' \
		$(sources 'tools/*.c')
}

# lint_clang DIRECTORY...
lint_clang()
{
	local directory
	for directory; do
		make -s -C "$directory" O="$O/clang" CC=clang CXX=clang++ all ||
			return
	done
}

main()
{
	local kernel tree
	local ftrace=(DYNAMIC_FTRACE FUNCTION_TRACER FUNCTION_GRAPH_TRACER
		DYNAMIC_FTRACE_WITH_{REGS,ARGS,DIRECT_CALLS} KPROBES_ON_FTRACE)
	local kprobes=(KPROBES KPROBES_ON_FTRACE OPTPROBES KRETPROBES)
	echo "TAP version 13"
	echo "1..$((23 + $(released_kernels | wc -w)))"
	check "scripts are clean under shellcheck" lint_scripts
	check "every file names its licence" lint_licences
	check "scripts find their tree whatever CDPATH is" lint_place
	for kernel in $(released_kernels); do
		# It says what it downloads.
		"$TOP/scripts/kernel.sh" fetch "$kernel" >&2
		check "the module is clean under sparse and W=1 for $kernel" \
			lint_module "$kernel"
	done
	check "the module is built where there is no ftrace" \
		lint_without "${ftrace[@]}"
	check "the module is built where there are no kprobes" \
		lint_without "${kprobes[@]}"
	check "the module is built where there is neither" \
		lint_without "${ftrace[@]}" "${kprobes[@]}"
	"$TOP/scripts/kernel.sh" fetch-source 6.12 >&2
	check "the module is clean under checkpatch and kernel-doc" lint_style
	check "the series for the kernel's tree applies, and is clean under checkpatch" \
		lint_series
	for tree in kmod libprofil tools; do
		check "the files of $tree are in layers" tests/layers.sh "$tree"
	done
	check "what documents name is there" tests/docs.sh
	check "each kernel is wherever one must be" tests/kernels.sh
	check "the table of results is the one that was recorded" lint_table
	check "no directory is removed that O= does not name" lint_output
	check "man pages are clean under mandoc" lint_man
	check "they show what is to be typed, and no table breaks" lint_shown
	check "packages name the licences that files name" lint_copyright
	check "the library is clean under cppcheck" lint_library
	check "the tools are clean under cppcheck" lint_tools
	check "the library and the tools are clean under clang" \
		lint_clang libprofil libprofil/preload tools
	check "the tests and the examples are clean under clang" \
		lint_clang tests/{selftests,unit,lib,stack,tools,clients} \
		tests/{conformance,stress,bench} examples/{calls,ported}
	check "the library is clean under gcc's analyser" \
		make -s -C tests/lib O="$O" analyze
}

main; exit
