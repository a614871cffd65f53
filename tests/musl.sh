#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The library with another libc, musl: built, what it exports, its headers as programs
# in C see them, and programs in a guest that are linked with both. TAP.

set -euo pipefail
. "$(dirname "$0")/../scripts/common.sh"
OUT=$O/musl
CC=$OUT/cc

# Of glibc's headers it may see none, but those of the kernel are beside them.
make_compiler()
{
	local directory
	"$TOP/scripts/deps.sh" musl
	rm -rf "$OUT/kernel"
	mkdir -p "$OUT/kernel"
	for directory in linux asm-generic; do
		ln -s "/usr/include/$directory" "$OUT/kernel/$directory"
	done
	directory=/usr/include/$(cc -print-multiarch)/asm
	ln -s "$directory" "$OUT/kernel/asm"
	# Its specs leave out what stacks are followed by.
	cat >"$CC" <<-END
	#!/bin/sh
	exec musl-gcc -idirafter "$OUT/kernel" -Wl,--eh-frame-hdr "\$@"
	END
	chmod +x "$CC"
}

musl_make()
{
	make -s O="$OUT" CC="$CC" SANITIZE= "$@" >&2
}

# glibc's ldd, by which the guest gets libraries, does not know these.
run_examples()
{
	musl_make -C "$TOP/examples/calls" CFLAGS="-O2 -g -I$TOP/include/musl" \
		LDFLAGS="-Wl,-rpath,$OUT/lib" all
	"$TOP/tests/qemu/run.sh" -i -t 300 -f /lib/ld-musl-x86_64.so.1 \
		-f "$(realpath /lib/ld-musl-x86_64.so.1)" -f "$OUT/lib" \
		-f "$OUT/examples/calls" -- "$OUT/examples/calls/check.sh"
}

main()
{
	local status=0
	make_compiler
	musl_make -C "$TOP/libprofil" all
	CC=$CC "$TOP/tests/lib/exports.sh" "$OUT/lib" libc.so || status=1
	O=$OUT CC=$CC CXX='' "$TOP/tests/lib/headers.sh" || status=1
	run_examples || status=1
	exit $status
}

main
