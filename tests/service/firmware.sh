#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A QEMU whose firmware is UEFI with Secure Boot: $FIRMWARE, which keeps what it has to
# remember in $VARIABLES, and starts no kernel but a signed one, $SIGNED, whatever
# -kernel says.

set -euo pipefail
. "$(dirname "$0")/../../scripts/common.sh"

arguments=()
while [ $# != 0 ]; do
	arguments+=("$1")
	if [ "$1" = -kernel ]; then
		arguments+=("$SIGNED")
		shift
	fi
	shift
done
read -r -a command < <(env -u QEMU "$TOP/scripts/qemu.sh" command)
# shellcheck disable=SC2054 # QEMU's commas
exec "${command[@]}" "${arguments[@]}" -machine q35,smm=on \
	-global driver=cfi.pflash01,property=secure,value=on \
	-drive if=pflash,unit=0,format=raw,readonly=on,file="$FIRMWARE" \
	-drive if=pflash,unit=1,format=raw,file="$VARIABLES"
