#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Static checks of everything, in TAP. A tool that says anything has failed.
#
# shellcheck disable=SC2317 # check() calls them

set -uo pipefail
. "$(dirname "$0")/../scripts/common.sh"
cd "$TOP" || exit 1

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
. "$TOP/tests/tap.sh"

# silent COMMAND...: succeeds, and says nothing.
silent()
{
	"$@" >"$WORK/said" 2>&1 || { cat "$WORK/said"; return 1; }
	cat "$WORK/said"
	[ ! -s "$WORK/said" ]
}

# sources PATTERN...: files that are ours, with names like these.
sources() { scripts/files.sh -n "$@"; }

scripts()
{
	sources | xargs awk 'FNR == 1 && /^#!.*[\/ ](ba|da)?sh([^[:alnum:]_]|$)/ { print FILENAME }'
}

lint_scripts()
{
	# shellcheck disable=SC2046 # one word per file
	shellcheck $(scripts) scripts/common.sh scripts/apt.sh tests/tap.sh tests/qemu/watch.sh
}

lint_place()
{
	scripts/module.sh -l | diff - <(CDPATH=. scripts/module.sh -l)
}

# The licence is on the first line, or on the next after #! and hints.
lint_licences()
{
	sources '*.[chS]' '*.sh' '*.py' '*.awk' '*Makefile' '*Kbuild' \
		'*.md' '*.yml' .ci/run VERSION dkms.conf | xargs awk '
		FNR <= 3 && /SPDX-License-Identifier: / { named[FILENAME] }
		END { for (i = 1; i < ARGC; i++)
			if (!(ARGV[i] in named)) print ARGV[i] ": no SPDX line" }'
}

# lint_module KERNEL [VAR=VALUE...]: with all that the module can have, and with what
# people who build kernels have in their environment. It calls nothing that switches
# a static key, which would patch kernel text.
lint_module()
{
	local module
	module=$(KBUILD_OUTPUT=$O/lint/none "$TOP/scripts/module.sh" -d "$O/lint/$1" "$1" \
		PROFIL_DELAYS=1 W=1 "${@:2}") || return
	! nm -u "$module" | grep -E ' (__do_once|__?static_key_(slow|enable|disable))'
}

# lint_without OPTION...: with headers that have the first of these off, and what
# needs it. Only the compiler is asked: "make check-all" boots such kernels.
lint_without()
{
	local header=$O/lint/without-$1.h names=("${@/#/CONFIG_}")
	mkdir -p "$O/lint"
	printf '#undef %s\n' "${names[@]}" >"$header"
	"$TOP/scripts/module.sh" -d "${header%.h}" 6.12 W=1 "${names[@]/%/=}" \
		"KCFLAGS=-include $header" >/dev/null
}

lint_style()
{
	local scripts=$CACHE/6.12-source/scripts files checkpatch
	mapfile -t files < <(sources 'kmod/*.[ch]' 'include/uapi/linux/*.h' |
		grep -vx kmod/compat.h)
	checkpatch=(perl "$scripts/checkpatch.pl" --no-tree --strict --terse --no-summary -q)
	"${checkpatch[@]}" --ignore FILE_PATH_CHANGES -f "${files[@]}"
	# The one place that may ask for the kernel's version.
	"${checkpatch[@]}" --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON -f kmod/compat.h
	perl "$scripts/kernel-doc" -none "${files[@]}" kmod/compat.h 2>&1
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
	# Each header is there when the driver is added.
	comm -13 <(sed -n 's,^+++ b/drivers/misc/profil/,,p' "$work"/kernel-patch/0003-*.patch | sort) \
		<(sed -n 's/^+#include "\(.*\)"$/\1/p' "$work"/kernel-patch/0003-*.patch | sort -u)
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

# The series' own files, by the headers of 6.12; only the kernel with the series has the
# symbols to link it with.
lint_series_compiles()
{
	local tree=$O/lint/tree
	rm -rf "$tree"
	mkdir -p "$tree"
	scripts/kernel_patch.sh files "$CACHE/6.12-source" "$tree" || return
	make -s -j"$(nproc)" -C "$(scripts/kernel.sh build 6.12)" M="$tree/drivers/misc/profil" \
		CONFIG_PROFIL=m CONFIG_PROFIL_STACKS=y CONFIG_PROFIL_KUNIT_TEST=m \
		KCFLAGS="-I$tree/include -I$tree/include/uapi -DCONFIG_PROFIL_TICK \
		-DCONFIG_PROFIL_STACKS" profil.o region_kunit.o
}

# What is no one directory is refused, before "rm -rf $(O)/lib" is a system's /lib.
lint_output()
{
	local makefile output
	for makefile in $(sources Makefile '*/Makefile'); do
		grep -q 'output\.mk' "$makefile" || continue
		for output in '' '/nowhere/of mine'; do
			! make -n -C "$(dirname "$makefile")" clean O="$output" \
				>/dev/null 2>&1 || echo "$makefile takes O=\"$output\""
		done
	done
}

# Everything that people read. The check itself finds a bad sentence in each kind of file.
lint_english()
{
	local bad=$O/lint/bad
	# shellcheck disable=SC2046 # one word per file
	tests/english.pl $(sources '*.md' NEWS 'docs/*.txt' 'man/*.[1-9]' 'tools/*.[ch]' \
		'libprofil/*.[ch]' 'kmod/*.[ch]')
	mkdir -p "$O/lint"
	echo 'The page is to be unmapped.' | tee "$bad.md" >"$bad.1"
	echo 'warn("the page is to be " /* soon */' >"$bad.c"
	echo '"unmapped");' >>"$bad.c"
	[ "$(tests/english.pl "$bad".{md,1,c} | grep -c "bad\..*:1: 'is to be': ")" = 3 ] ||
		echo "tests/english.pl does not find bad sentences"
	yes word | head -n 41 >"$bad.md"
	! tests/english.pl "$bad.md" >/dev/null || echo "tests/english.pl does not count words"
}

lint_man()
{
	# shellcheck disable=SC2046 # one word per file
	mandoc -Tlint -W warning $(sources 'man/*.[1-9]')
}

# shown PAGE [OPTION...]: as a terminal has it, but for what is struck over.
shown() { mandoc -Tascii "${@:2}" "$1" | sed 's/.\x08//g'; }

# Commands are shown as they are typed, without a full stop of the sentence. And tables are
# not wider than a terminal, for which man breaks them.
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

# What the page's script makes is not checked.
lint_cppcheck()
{
	# shellcheck disable=SC2046 # one word per file
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability \
		--inline-suppr -Iinclude -Iinclude/uapi -Ilibprofil -Itools \
		-D_GNU_SOURCE -DVERSION='""' $(sources 'libprofil/*.c' 'tools/*.c')
}

# lint_clang DIRECTORY...
lint_clang()
{
	local directory
	for directory; do
		make -s -C "$directory" O="$O/clang" CC=clang CXX=clang++ all || return
	done
}

for kernel in 5.10 6.1 6.12; do
	"$TOP/scripts/kernel.sh" fetch $kernel >&2
done
"$TOP/scripts/kernel.sh" fetch-source 6.12 >&2
# "all": what takes long, and finds little that the others do not.
all=${1:-}
plan $((${all:+2} + 18))
check "scripts are clean under shellcheck" silent lint_scripts
check "every file names its licence" silent lint_licences
check "scripts find their tree whatever CDPATH is" silent lint_place
check "the module is clean under W=1 for 5.10" silent lint_module 5.10
[ -z "$all" ] || check "the module is clean under sparse and W=1 for 6.1" silent lint_module 6.1 C=2
check "the module is clean under sparse and W=1 for 6.12" silent lint_module 6.12 C=2
check "the module is built where there is no ftrace" silent lint_without \
	DYNAMIC_FTRACE FUNCTION_TRACER FUNCTION_GRAPH_TRACER \
	DYNAMIC_FTRACE_WITH_{REGS,ARGS,DIRECT_CALLS} KPROBES_ON_FTRACE
check "the module is clean under checkpatch and kernel-doc" silent lint_style
check "the kernel series applies, clean under checkpatch" silent lint_series
check "the kernel series is compiled" silent lint_series_compiles
check "folders include only what they stand on" silent tests/layers.sh
check "what documents name is there" silent tests/docs.sh
check "documents and messages are plain English" silent lint_english
check "no directory is removed that O= does not name" silent lint_output
check "man pages are clean under mandoc" silent lint_man
check "they show what is to be typed, and no table breaks" silent lint_shown
check "the library and the tools are clean under cppcheck" silent lint_cppcheck
check "the library and the tools are clean under clang" \
	silent lint_clang libprofil libprofil/preload tools
[ -z "$all" ] || check "the tests and the examples are clean under clang" \
	silent lint_clang tests/{selftests,unit,lib,stack,tools,clients} \
	tests/{conformance,stress,bench} examples/{calls,ported}
check "the library is clean under gcc's analyser" silent make -s -C tests/lib O="$O" analyze
tap_end
