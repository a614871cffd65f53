#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Writes the module as a series of patches for a kernel's source. Most files are copied
# from this tree. packaging/kernel/tree has the files that differ in the kernel or exist
# only there. packaging/kernel/series/STEP.patch has the changes to the kernel's own files.
#
# shellcheck disable=SC2317 # add() calls the steps

set -euo pipefail
. "$(dirname "$0")/common.sh"
HERE=$TOP/packaging/kernel
DRIVER=drivers/misc/profil
SELFTESTS=tools/testing/selftests/profil
# In this order; packaging/kernel/series/STEP.txt is the commit message.
STEPS="uapi tick driver kunit selftests documentation stacks"

usage()
{
	cat <<END
usage: scripts/kernel_patch.sh series [SOURCE]   write the series to \$O/kernel-patch
       scripts/kernel_patch.sh check [SOURCE]    check it by checkpatch.pl; silent if clean
       scripts/kernel_patch.sh apply SOURCE      change SOURCE itself: use a copy
       scripts/kernel_patch.sh files SOURCE DIR  write the changed and added files to DIR
SOURCE: a kernel's source, by default that of 6.12.
END
}

# --- the steps: each adds its files below the current directory -------------------

# copy FILE DIRECTORY: copies a file of this tree.
copy()
{
	mkdir -p "$2"
	cp "$TOP/$1" "$2"
}

# ours PATH...: copies files of packaging/kernel/tree.
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

# Call stacks are the last step. The other files call them through these two headers, and
# PROFIL_HAS_STACKS leaves the calls out of a driver without stacks.
is_of_stacks()
{
	case $1 in
	./stack/stack.h | ./stack/shared_rules.h) return 1 ;;
	./unwind/* | ./stack/*) ;;
	*) return 1 ;;
	esac
}

step_driver()
{
	local file directory
	for file in $(cd "$TOP/kmod" && find . -name '*.[ch]'); do
		directory=${file%/*}
		is_of_stacks "$file" || copy "kmod/$file" "$DRIVER${directory#.}"
	done
	ours "$DRIVER"
	rm "$DRIVER"/*_kunit.c
	sed -i '/^MODULE_VERSION(/d' "$DRIVER/main.c"
	sed -i 's/^#ifdef PROFIL_DELAYS/#ifdef CONFIG_PROFIL_DELAYS/
		s/^ \* PROFIL_DELAYS=1 has/ * CONFIG_PROFIL_DELAYS has/' "$DRIVER/profile.h"
	sed -i 's/PROFIL_STACKS=0/CONFIG_PROFIL_STACKS=n/
		s/^#ifdef PROFIL_STACKS/#ifdef CONFIG_PROFIL_STACKS/' "$DRIVER/stack/stack.h"
	driver_makefile | grep -v CONFIG_PROFIL_STACKS >"$DRIVER/Makefile"
}

step_stacks()
{
	local file
	for file in $(cd "$TOP/kmod" && find stack unwind -name '*.[ch]'); do
		! is_of_stacks "./$file" || copy "kmod/$file" "$DRIVER/${file%/*}"
	done
	# Keep the lines that other steps have put before the list of files.
	{ sed '/^ccflags-y/,$d' "$DRIVER/Makefile"; driver_makefile | sed -n '/^ccflags-y/,$p'; } \
		>"$DRIVER/Makefile.new"
	mv "$DRIVER/Makefile.new" "$DRIVER/Makefile"
}

# The list of files in kmod/Kbuild, without the lines for building out of tree.
driver_makefile()
{
	# shellcheck disable=SC2016 # for make
	echo '# SPDX-License-Identifier: GPL-2.0-only
obj-$(CONFIG_PROFIL) += profil.o
ccflags-y += -I$(src)'
	sed '1,/^obj-m /d; s/(STACKS)/(CONFIG_PROFIL_STACKS)/
		s/(DELAYS)/(CONFIG_PROFIL_DELAYS)/' "$TOP/kmod/Kbuild"
}

step_kunit() { ours "$DRIVER/region_kunit.c"; }

# The library's decoder of stack streams, and its declarations from <libprofil.h>.
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

# programs MAKEFILE: lists the programs that it builds, one per line.
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
		# Tests of the harness and of the library.
		misbehave.c | library.c) ;;
		*) copy "tests/selftests/${file##*/}" "$SELFTESTS" ;;
		esac
	done
	for file in harness.c harness.h; do
		copy "tests/harness/$file" "$SELFTESTS"
	done
	decoder
	ours "$SELFTESTS"
	{ echo "# SPDX-License-Identifier: LGPL-2.1-or-later"
	  programs "$SELFTESTS/Makefile"; } >"$SELFTESTS/.gitignore"
}

step_documentation() { ours Documentation/admin-guide/profil.rst; }

# --- the series -----------------------------------------------------------------

# set_author: the author of this checkout or, in a tarball, the packages' maintainer.
set_author()
{
	local control=$TOP/packaging/debian/control
	AUTHOR_NAME=$(git -C "$TOP" config user.name ||
		sed -n 's/^Maintainer: \(.*\) <.*/\1/p' "$control")
	AUTHOR_EMAIL=$(git -C "$TOP" config user.email ||
		sed -n 's/^Maintainer: .* <\(.*\)>/\1/p' "$control")
}

# add STEP: applies a step in the current directory.
add()
{
	local edits=$HERE/series/$1.patch author
	[ ! -e "$edits" ] || patch -s -p1 --no-backup-if-mismatch <"$edits" ||
		die "$edits does not apply: adapt it to this kernel"
	"step_$1"
	author=$(sed 's/[&/\\]/\\&/g' <<<"$AUTHOR_NAME <$AUTHOR_EMAIL>")
	[ ! -e MAINTAINERS ] || sed -i "s/^M:\t@AUTHOR@$/M:\t$author/" MAINTAINERS
}

# Lists the kernel's own files that the series changes, without the driver's.
touched()
{
	sed -n 's/^+++ b\///p' "$HERE"/series/*.patch | grep -v "^$DRIVER/" | sort -u
}

# git without the user's configuration, which could change prefixes, hooks or templates.
git_()
{
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -c user.name="$AUTHOR_NAME" -c user.email="$AUTHOR_EMAIL" \
		-c commit.gpgsign=false "$@"
}

copy_touched()
{
	local file
	while read -r file; do
		mkdir -p "$2/$(dirname "$file")"
		cp "$1/$file" "$2/$file"
	done < <(touched)
}

# Commits each step to a git tree of the changed files, so that the patches have their
# blob hashes.
make_series()
{
	local source=$1 output=$2 work=$3 step
	copy_touched "$source" "$work"
	cd "$work"
	# A git hook or rebase would have set these variables for another tree. Nor must git look
	# for a tree above, which would be the user's own.
	# shellcheck disable=SC2046
	unset $(git rev-parse --local-env-vars)
	export GIT_DIR=$PWD/.git
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

# Subject and text come from docs/cover-letter.txt.
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

# ignored STEP: prints the types listed in packaging/kernel/checkpatch, with commas.
ignored() { sed -nE "s/^(all|$1) ([A-Z_]+) .*/\2/p" "$HERE/checkpatch" | paste -sd,; }

check()
{
	local source=$1 output=$O/kernel-patch step number=0 status=0
	# Not in a command substitution: there, a failure would not end this script, and
	# the working tree would stay.
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
