#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# With nothing registered, a loaded module costs nothing: a loop takes as many
# instructions as in a guest without the module. While it is profiled it takes
# more, which shows that this measurement would see a hook that is armed.
#
#	unarmed.sh [OPTIONS OF tests/qemu/run.sh...]

set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$HERE/../.." && pwd)
O=${O:-$TOP/build}
LIMIT=20	# parts per million

run() { "$TOP/tests/qemu/run.sh" -i "${options[@]}" "$@"; }

# ppm NAME: how much more than bare, rounded.
ppm()
{
	awk -v name="$1" '{ ns[$1] = $2 }
		END { printf "%.0f\n", (ns[name] / ns["bare"] - 1) * 1e6 }' <<<"$costs"
}

# check NUMBER NAME PPM CONDITION...
check()
{
	echo "# $3 ppm"
	if [ "${@:4}" ]; then
		echo "ok $1 $2"
	else
		echo "not ok $1 $2"
		failed=1
	fi
}

options=("$@")
failed=0
make -s -C "$HERE" O="$O" all >&2
costs=$(run -n -- "$O/selftests/loopcost")
costs+=$'\n'$(run -- "$O/selftests/loopcost" all)
before=$(ppm before) profiled=$(ppm profiled) after=$(ppm after)

echo "TAP version 13"
echo "1..3"
check 1 loaded_module_that_was_never_used_costs_nothing "$before" \
	"${before#-}" -le $LIMIT
check 2 loop_that_is_profiled_pays_for_the_hook "$profiled" \
	"$profiled" -gt $LIMIT
check 3 module_that_is_no_longer_used_costs_nothing "$after" \
	"${after#-}" -le $LIMIT
exit $failed
