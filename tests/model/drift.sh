#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares the model with the module: each function that both have takes the same
# key steps in the same order, and what the model calls profil_* is in kmod/. TAP.
# Usage: drift.sh [KMOD]

set -euo pipefail
cd "$(dirname "$0")"
kmod=${1:-../../kmod}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

model()
{
	cpp -P -undef -DSCENARIO_FORK -DCARRIES -DDENIES -DUNDO profil.pml
}

# Comments go, macros and conditions stay.
module()
{
	cat "$kmod"/*.h "$kmod"/*.c | gcc -fpreprocessed -dD -E -P -w -x c -
}

words()
{
	sed -n 's/^inline \(profil_[a-z_]*\)(.*/\1/p; s/^proctype \(profil_[a-z_]*\)(.*/\1/p' \
		"$work/model"
	printf '%s\n' PROFIL_STOPPED PROFIL_LIVE PROFIL_STOPPING PROFIL_CLOSED \
		PROFIL_TRY PROFIL_WAIT PROFIL_STATE_{OFF,ON,FULL,LIMIT,FAULT} \
		PF_EXITING ESTALE live settler fatal_signal_pending \
		profil_inflight kref_get raw_spin_lock raw_spin_unlock \
		mutex_lock_killable mutex_unlock \
		mmap_read_lock_killable mmap_read_trylock mmap_read_unlock
}

model >"$work/model"
module >"$work/module"
words | sort -u >"$work/words"
for side in model module; do
	awk -v words="$work/words" -f drift.awk "$work/$side" |
		sort -t: -u -k1,1 >"$work/$side.steps"
done

# Where the model takes a shorter way, known says what the module's steps are.
total=0
compare()
{
	local here there known
	here=$(grep "^$1:" "$work/model.steps")
	if ! there=$(grep "^$1:" "$work/module.steps"); then
		echo "# not in $kmod: $1"
		return 1
	fi
	if known=$(grep "^$1:" drift.known); then
		[ "$here" != "$known" ] || echo "# no difference any more: $1"
		here=$known
	fi
	[ "$here" = "$there" ] && return
	echo "# model:  $here"
	echo "# module: $there"
	return 1
}

while IFS=: read -r name _; do
	[[ $name = profil_* ]] || continue
	total=$((total + 1))
	result=ok
	compare "$name" || result='not ok'
	echo "$result $total - the model's $name() is the module's"
done <"$work/model.steps"
echo "1..$total"
