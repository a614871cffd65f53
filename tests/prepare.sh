#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/prepare.sh KERNEL
#
# Builds what several suites use, before they run side by side: they must not make the
# same files at the same time.

set -euo pipefail
. "$(dirname "$0")/../scripts/common.sh"
"$TOP/scripts/kernel.sh" fetch "$1" &
for part in libprofil libprofil/preload tools tests/selftests; do
	make -s -j"$(nproc)" -C "$TOP/$part" O="$O" all
done
wait $!
"$TOP/scripts/module.sh" "$1" >/dev/null
