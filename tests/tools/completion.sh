#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What bash completes after profil, in TAP.

set -uo pipefail
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../../tools/profil.bash"

# WANTED: WORD..., of which the last one is completed.
while IFS=: read -r wanted words; do
	eval "COMP_WORDS=(profil $words)"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_profil 2>/dev/null
	[ "${COMPREPLY[*]}" = "$wanted" ]
	result "profil $words: ${COMPREPLY[*]}"
done <<END
--rate: --ra
--no-children --no-names --no-stacks --no-waits: --no
--waits: --wa
fast tick clock: -r ''
report: repor
gmon: report -f gm
--html --help: report --h
--thread --to: annotate --t
--object: report --ob
: report --comm ''
thread: report --by th
phase: report --by ph
--tree: report --tr
--wall --waits: report --wa
self total name: report --sort ''
: report --phase ''
$0: report --diff '$0'
$0: -o dir -q gzip '$0'
fast tick clock: --rate =
clock: --rate = cl
gmon: report --format = gm
thread: report --by = th
$0: report --diff = '$0'
$0: report --output = '$0'
report: --output = dir repor
${0%/*}: --output = '${0%/*}'
--pid --delay --output --help: top --
$0: top -d 2 '$0'
--pid --follow --rate --listen --token-file --help: serve --
$0: serve --listen 127.0.0.1:1 '$0'
clock: serve --rate = cl
END
tap_end
