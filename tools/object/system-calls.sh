#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# system-calls.sh NAME HEADER: the system calls that HEADER numbers, as a table
# in C. One that is not there makes an empty table. CC is the compiler.

set -eu
if ! echo "#include <$2>" | ${CC:-cc} -E -dM - >/dev/null 2>&1; then
	names=
else
	names=$(echo "#include <$2>" | ${CC:-cc} -E -dM - |
		sed -n 's/^#define __NR_\([a-z_][a-z0-9_]*\) .*/\1/p' |
		grep -vx -e syscalls -e arch_specific_syscall | sort)
fi
echo "static const struct system_call $1[] = {"
# The macros may be made of others.
for name in $names; do
	echo "{ __NR_$name, \"$name\" },"
done | ${CC:-cc} -E -P ${names:+-include "$2"} -
echo "{ 0, NULL } };"
