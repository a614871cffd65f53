#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# system-calls.sh NAME HEADER: prints a C table NAME of the system calls in HEADER.
# The table is empty if there is no such header. CC is the compiler.

set -eu
if ! echo "#include <$2>" | ${CC:-cc} -E -dM - >/dev/null 2>&1; then
	names=
else
	names=$(echo "#include <$2>" | ${CC:-cc} -E -dM - |
		sed -n 's/^#define __NR_\([a-z_][a-z0-9_]*\) .*/\1/p' |
		grep -vx -e syscalls -e arch_specific_syscall | sort)
fi
echo "static const struct system_call $1[] = {"
# The preprocessor resolves numbers that other macros define.
for name in $names; do
	echo "{ __NR_$name, \"$name\" },"
done | ${CC:-cc} -E -P ${names:+-include "$2"} -
echo "{ 0, NULL } };"
