#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Writes the module as a series of patches to a kernel's source. What stands in the
# kernel's tree in another form than here, or only there, is in packaging/kernel/tree,
# and what its own files get in packaging/kernel/series/STEP.patch; the rest is made
# of what is here.
#
# shellcheck disable=SC2317 # add() calls the steps

set -euo pipefail
. "$(dirname "$0")/common.sh"
HERE=$TOP/packaging/kernel
DRIVER=drivers/misc/profil
SELFTESTS=tools/testing/selftests/profil
# In this order; packaging/kernel/series/STEP.txt is what the patch says.
STEPS="uapi tick driver kunit selftests documentation"

usage()
{
	cat <<END
usage: scripts/kernel_patch.sh series [SOURCE]   write the series for SOURCE, that of
                                                 kernel 6.12 by default, to
                                                 \$O/kernel-patch
       scripts/kernel_patch.sh check [SOURCE]    have SOURCE's checkpatch.pl read it; silent if clean
       scripts/kernel_patch.sh apply SOURCE      change SOURCE itself, which is to be
                                                 a copy
       scripts/kernel_patch.sh files SOURCE DIR  write the files that it changes or
                                                 adds, as they are then, to DIR
END
}

# --- what each step adds, below the directory that they are called in ------------

# copy FILE DIRECTORY: from the tree that is here.
copy()
{
	mkdir -p "$2"
	cp "$TOP/$1" "$2"
}

# ours PATH...: what packaging/kernel/tree has there.
ours()
{
	local path
	for path; do
		mkdir -p "${path%/*}"
		cp -r "$HERE/tree/$path" "${path%/*}"
	done
}

step_uapi()
{
	copy include/uapi/linux/profil.h include/uapi/linux
	copy include/uapi/linux/profil_stacks.h include/uapi/linux
}

step_tick() { ours include/linux/profil_tick.h; }

# Hooks that are made of ftrace and kprobes, and the watch over them, are not needed
# with one of the kernel's own.
is_dropped()
{
	case $1 in
	hook_ftrace.* | hook_kprobe.* | hook_probe.* | clock_watch.c) ;;
	*) return 1 ;;
	esac
}

step_driver()
{
	local file
	for file in "$TOP"/kmod/*.[ch]; do
		is_dropped "${file##*/}" || copy "kmod/${file##*/}" "$DRIVER"
	done
	ours "$DRIVER"
	rm "$DRIVER"/*_kunit.c
	sed -i '/^MODULE_VERSION(/d' "$DRIVER/main.c"
	sed -i 's/^#ifdef PROFIL_DELAYS/#ifdef CONFIG_PROFIL_DELAYS/
		s/^ \* PROFIL_DELAYS=1 has/ * CONFIG_PROFIL_DELAYS has/' "$DRIVER/delay.h"
	driver_makefile >"$DRIVER/Makefile"
}

# Kbuild's list of files, without what says how it is built where it is.
driver_makefile()
{
	# shellcheck disable=SC2016 # for make
	echo '# SPDX-License-Identifier: GPL-2.0-only
obj-$(CONFIG_PROFIL) += profil.o'
	sed '1,/^obj-m /d' "$TOP/kmod/Kbuild" | awk '
		/^# From the ground up/ {
			print "# From the ground up: a file calls only what stands" \
				" before it, in its own layer and"
			print "# in those that this one is on."
			skip = 1
			next
		}
		skip { skip = !/^#$/; if (skip) next }
		/hook_probe\.o|hook_ftrace\.o|hook_kprobe\.o/ { next }
		{ sub(/ clock_watch\.o/, ""); sub(/\(DELAYS\)/, "(CONFIG_PROFIL_DELAYS)") }
		{ print }'
}

step_kunit() { ours "$DRIVER/region_kunit.c"; }

# What reads a stream of stacks: of the library, its decoder, and the lines of
# <libprofil.h> that declare it.
decoder()
{
	copy libprofil/stack_decoder.c "$SELFTESTS"
	copy libprofil/last_stacks.c "$SELFTESTS"
	copy libprofil/last_stacks.h "$SELFTESTS"
	decoder_header >"$SELFTESTS/stack_decoder.h"
	sed -i 's/<libprofil\.h>/"stack_decoder.h"/
		s/ Also compiled into the tools\.$//
		/^#pragma GCC visibility/d' "$SELFTESTS/stack_decoder.c" "$SELFTESTS/stream.h"
}

# programs: those that the Makefile makes, one a line.
programs()
{
	awk '/^(TEST_GEN_PROGS(_EXTENDED)?|CALLERS) [:+]=/ { on = 1; sub(/.*= /, "") }
		on { on = /\\$/; gsub(/\\|\$\([A-Z]*\)/, ""); print }' "$1" |
		tr -s ' \t' '\n' | grep . | LC_ALL=C sort
}

decoder_header()
{
	cat <<-'END'
		/* SPDX-License-Identifier: LGPL-2.1-or-later */
		/* Reads streams of call stacks. */
		#ifndef SELFTESTS_STACK_DECODER_H
		#define SELFTESTS_STACK_DECODER_H

		#include <linux/profil_stacks.h>
		#include <stddef.h>
		#include <stdint.h>

		/**
	END
	sed -n '/^ \* struct profil_stack - /,/^void profil_stacks_close(/p' \
		"$TOP/include/libprofil.h"
	printf '\n#endif /* SELFTESTS_STACK_DECODER_H */\n'
}

step_selftests()
{
	local file
	for file in "$TOP"/tests/selftests/*.[ch]; do
		case ${file##*/} in
		# That of the harness itself, and that of the library.
		misbehave.c | library.c) ;;
		*) copy "tests/selftests/${file##*/}" "$SELFTESTS" ;;
		esac
	done
	decoder
	ours "$SELFTESTS"
	{ echo "# SPDX-License-Identifier: LGPL-2.1-or-later"
	  programs "$SELFTESTS/Makefile"; } >"$SELFTESTS/.gitignore"
}

step_documentation() { ours Documentation/admin-guide/profil.rst; }

# --- the series -----------------------------------------------------------------

# set_author: that of this checkout, or, of a tarball, who maintains the packages.
set_author()
{
	local control=$TOP/packaging/debian/control
	AUTHOR_NAME=$(git -C "$TOP" config user.name ||
		sed -n 's/^Maintainer: \(.*\) <.*/\1/p' "$control")
	AUTHOR_EMAIL=$(git -C "$TOP" config user.email ||
		sed -n 's/^Maintainer: .* <\(.*\)>/\1/p' "$control")
}

# add STEP: to the directory that it is called in.
add()
{
	local edits=$HERE/series/$1.patch author
	[ ! -e "$edits" ] || patch -s -p1 --no-backup-if-mismatch <"$edits" ||
		die "$edits does not apply"
	"step_$1"
	author=$(sed 's/[&/\\]/\\&/g' <<<"$AUTHOR_NAME <$AUTHOR_EMAIL>")
	[ ! -e MAINTAINERS ] || sed -i "s/^M:\t@AUTHOR@$/M:\t$author/" MAINTAINERS
}

# What is changed of the kernel's own; the driver's files are not.
touched()
{
	sed -n 's/^+++ b\///p' "$HERE"/series/*.patch | grep -v "^$DRIVER/" | sort -u
}

# As git is, and not as somebody has it: patches without a/ and b/, hooks, templates.
git_()
{
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -c user.name="$AUTHOR_NAME" -c user.email="$AUTHOR_EMAIL" \
		-c commit.gpgsign=false "$@"
}

# copy_touched SOURCE DIRECTORY
copy_touched()
{
	local file
	while read -r file; do
		mkdir -p "$2/$(dirname "$file")"
		cp "$1/$file" "$2/$file"
	done < <(touched)
}

# A git tree of the files that are touched: the patches say of which content they are.
make_series()
{
	local source=$1 output=$2 work=$3 step
	copy_touched "$source" "$work"
	cd "$work"
	# A hook of git's, or what a rebase runs, has the names of another tree in these.
	# shellcheck disable=SC2046
	unset $(git rev-parse --local-env-vars)
	git_ init -q -b series .
	git_ add -A
	git_ commit -q -m base
	for step in $STEPS; do
		add "$step"
		git_ add -A
		git_ commit -q -s -F "$HERE/series/$step.txt"
	done
	mkdir -p "$output"
	rm -f "$output"/*.patch
	git_ format-patch -q --cover-letter -o "$output" HEAD~"$(wc -w <<<"$STEPS")"
	cover "$output/0000-cover-letter.patch"
}

# The subject, and the text, are docs/cover-letter.txt's.
cover()
{
	local text=$TOP/docs/cover-letter.txt
	awk -v text="$text" '
		/\*\*\* SUBJECT HERE \*\*\*/ {
			getline subject <text
			getline empty <text
			sub(/\*\*\* SUBJECT HERE \*\*\*/, subject)
		}
		/\*\*\* BLURB HERE \*\*\*/ {
			while ((getline line <text) > 0)
				print line
			next
		}
		{ print }' "$1" >"$1.new"
	mv "$1.new" "$1"
}

series()
{
	local source=$1 output=$O/kernel-patch
	mkdir -p "$O"
	output=$(cd "$O" && pwd)/kernel-patch
	WORK=$(mktemp -d)
	(make_series "$source" "$output" "$WORK")
	echo "$output"
}

# ignored STEP: types, with commas, of what packaging/kernel/checkpatch explains.
ignored() { sed -nE "s/^(all|$1) ([A-Z_]+) .*/\2/p" "$HERE/checkpatch" | paste -sd,; }

check()
{
	local source=$1 output=$O/kernel-patch step number=0 status=0
	# Not for its output: in a shell for that, what fails would end nothing, and the
	# working tree would stay.
	series "$source" >/dev/null
	for step in $STEPS; do
		number=$((number + 1))
		perl "$source/scripts/checkpatch.pl" --no-tree --terse --show-types \
			--no-summary --ignore "$(ignored "$step")" \
			"$output/000$number"-*.patch || status=1
	done
	return $status
}

apply()
{
	local step
	cd "$1"
	for step in $STEPS; do
		add "$step"
	done
}

main()
{
	local command=${1:-} source
	source=${2:-$CACHE/6.12-source}
	trap '[ -z "${WORK:-}" ] || rm -rf "$WORK"' EXIT
	set_author
	case $command in
	series)	series "$source" ;;
	check)	check "$source" ;;
	apply)	apply "${2:?}" ;;
	files)
		copy_touched "${2:?}" "${3:?}"
		apply "$3"
		;;
	*)	usage >&2; exit 2 ;;
	esac
}

main "$@"; exit
