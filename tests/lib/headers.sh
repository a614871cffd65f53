#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What users get to compile with: installs into an empty tree, and compiles
# original-style source, of programs/, with what pkg-config says. Prints TAP.
#
# Needs make, pkg-config, a C and a C++ compiler; with CXX= what is C++ is left out.
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
programs=$top/tests/lib/programs
CC=${CC:-cc}
CXX=${CXX-c++}
n=0
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# result NAME STATUS: a line of TAP.
result() {
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' "$tmp/log"
		failed=1
	fi
}

# quietly COMMAND...: no output is part of success.
quietly() {
	"$@" >"$tmp/log" 2>&1 && [ ! -s "$tmp/log" ]
}

# flags PACKAGE, cflags PACKAGE
flags() {
	cflags "$1" --libs
}

cflags() {
	PKG_CONFIG_SYSROOT_DIR=$tmp/root PKG_CONFIG_LIBDIR=$tmp/root/usr/lib/pkgconfig \
		pkg-config --cflags "$@"
}

# compile LANGUAGE PACKAGE FILE...: warnings are errors.
compile() {
	language=$1
	package=$2
	shift 2
	compiler=$CC
	rm -f "$tmp/program"
	case $language in *++*) compiler=$CXX ;; esac
	[ -n "$compiler" ] || return 0
	# shellcheck disable=SC2046
	quietly "$compiler" -std="$language" -Wall -Wextra -Wpedantic -Werror \
		-o "$tmp/program" "$@" $(flags "$package")
}

# bound NAME...: the program refers to these and to no other call of ours.
bound() {
	nm -D --undefined-only "$tmp/program" | sed 's/@.*//' |
		awk '$2 ~ /profil|pcsample|getsysinfo|sysconf/ { print $2 }' |
		sort >"$tmp/got"
	printf '%s\n' "$@" | sort | diff - "$tmp/got" >"$tmp/log"
}

make -s -C "$top/libprofil" install DESTDIR="$tmp/root" PREFIX=/usr \
	>"$tmp/log" 2>&1
result "make install" $?

cat >"$tmp/default.c" <<'EOF'
#include <libprofil.h>
#include <sys/profil.h>
#include <unistd.h>
int main(void)
{
	static unsigned short counters[8];
	struct prof p = { counters, sizeof(counters), 0, 0x8000 };
	struct profil_status status;
	struct profil_features features;
	struct profil_samples samples;
	struct profil_stack stack;
	struct profil_stacks *stacks = profil_stacks_open(counters, 0);

	samples.size = sizeof(samples);
	if (profil_start_stacks(&samples) < 0 || profil_update_objects() < 0 ||
	    profil_stop_stacks(&status) < 0 || profil_stacks_next(stacks, &stack) < 0)
		return (int)profil_stacks_offset(stacks);
	profil_stacks_close(stacks);
	if (profil(counters, sizeof(counters), 0, 0x8000) < 0)
		return 1;
	status.size = sizeof(status);
	features.size = sizeof(features);
	return sprofil(&p, 1, 0, PROF_USHORT) + profil_get_status(&status) +
	       profil_get_features(&features);
}
EOF

# calls SYSTEM: what its program is bound to, as that says.
calls() { sed -n 's|^/[*] Calls: \(.*\) [*]/$|\1|p' "$programs/$1.c"; }

systems=$("$top/tests/lib/dialects.sh" --systems)
for language in c90 c99 gnu99 gnu17 ${CXX:+c++98 gnu++98 gnu++17}; do
	x=c
	case $language in *++*) x=c++ ;; esac
	# In strict C libc itself declares no profil() without being asked.
	compile "$language" libprofil -D_DEFAULT_SOURCE -x $x "$tmp/default.c" \
		-x none
	result "the default in $language" $?
	for system in $systems; do
		compile "$language" "libprofil-$system" -x $x \
			"$programs/$system.c" -x none
		result "source for $system in $language" $?
		# shellcheck disable=SC2046
		bound $(calls "$system")
		result "$system's calls are those of $system ($language)" $?
	done
done

# profil is a common enough name: a program's own members keep theirs.
cat >"$tmp/member.c" <<'END'
#include <mon.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
struct ops {
	int (*profil)(int fd, const char *name, double share, int flags);
};

static int mine(int fd, const char *name, double share, int flags)
{
	return fd + (name != NULL) + (int)share + flags;
}

int main(void)
{
	struct ops here, *ops = &here;

	ops->profil = mine;
	return ops->profil(1, "name", 2.5, 3) + here.profil(1, "name", 2.5, 3);
}
END
cat >"$tmp/member.cc" <<'END'
#include <mon.h>
#include <string>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
struct counter {
	int profil(int fd, std::string name, double share, int flags);
};

int counter::profil(int fd, std::string name, double share, int flags)
{
	return fd + (int)name.size() + (int)share + flags;
}

int main()
{
	counter c;

	return c.profil(1, "name", 2.5, 3);
}
END
for system in $systems; do
	[ "$system" = aix ] || sed -i.aix '/<mon.h>/d' "$tmp/member.c" "$tmp/member.cc"
	compile c90 "libprofil-$system" "$tmp/member.c" &&
		compile c++98 "libprofil-$system" "$tmp/member.cc"
	result "members of $system's programs may be called profil" $?
done

# Whatever type an argument of Tru64's has: that of its own prototype, an
# integer of any width, a pointer of any kind.
cat >"$tmp/arguments.c" <<'END'
#include <sys/resource.h>
#include <stddef.h>
static int text(int n)
{
	return n;
}

int main(void)
{
	static unsigned short shorts[8];
	struct profil_args args[1] = { { NULL, NULL, NULL, 0 } };
	void (*call)(unsigned short *, unsigned int, void *, unsigned int) =
		profil;
	unsigned int low = 0x401000;
	unsigned long flags = 1;
	int all = -1;

	profil(args, 1, -1, flags);
	profil(args, 1, -1L, PROFIL_FLAGS_ALL_THREADS);
	profil(args, 1, all, 0);
	profil(args, 1, (void *)-1, 0);
	profil(shorts, sizeof(shorts), low, 0x8000u);
	profil(shorts, sizeof(shorts), (unsigned long)text, 0x8000);
	profil(shorts, sizeof(shorts), shorts, 0x8000);
	profil(NULL, 0, NULL, 0);
	call(shorts, sizeof(shorts), 0, PROFIL_SCALE_TOTAL);
	return 0;
}
END
compile c90 libprofil-tru64 "$tmp/arguments.c" &&
	compile gnu17 libprofil-tru64 "$tmp/arguments.c" &&
	compile c++98 libprofil-tru64 -x c++ "$tmp/arguments.c" -x none &&
	compile gnu++17 libprofil-tru64 -x c++ "$tmp/arguments.c" -x none
result "Tru64's profil() takes its arguments in any type" $?

# The format of the profile file, in strict C and C++: a reader of its own.
cat >"$tmp/format.c" <<'END'
#include <libprofil/profile_format.h>
#include <string.h>
typedef char header_has_no_padding[sizeof(struct profile_header) == 208 ? 1 : -1];
typedef char path_is_at_its_end[sizeof(struct profile_object) == 72 ? 1 : -1];
int main(void)
{
	static struct profile_header header;
	const struct profile_object *object = 0;

	return object ? object->path[0] :
			memcmp(header.magic, PROFILE_MAGIC, sizeof(header.magic));
}
END
for language in c90 c99 gnu17 ${CXX:+c++98 c++11 gnu++17}; do
	x=c
	case $language in *++*) x=c++ ;; esac
	compile "$language" libprofil -x $x "$tmp/format.c" -x none
	result "the profile file's header in $language" $?
done

# Each header must stand alone, first or after libc's own, in strict C too.
for system in $systems; do
	status=0
	(cd "$top/include/$system" && find . -name '*.h') | sed 's|^\./||' |
		grep -v libprofil_dialect >"$tmp/headers"
	echo unistd.h >>"$tmp/headers"
	while read -r header; do
		for before in "" "#include <stdio.h>" \
			"#include <sys/types.h>"; do
			printf '%s\n#include <%s>\n#include <%s>\n#include <time.h>\nint main(void){return 0;}\n' \
				"$before" "$header" "$header" >"$tmp/alone.c"
			compile c90 "libprofil-$system" "$tmp/alone.c" || status=1
		done
	done <"$tmp/headers"
	result "each header of $system stands alone in strict C" $status
done

# The variants that are chosen by a macro.
# shellcheck disable=SC2046
compile gnu17 libprofil-bsd -DLIBPROFIL_BSD_MAN "$programs/bsd.c" && bound profil_bsd_man
result "LIBPROFIL_BSD_MAN" $?
sed '/args\[0\].scale/i args[0].offset = (void *)0x401000;' "$programs/tru64.c" \
	>"$tmp/tru64-args5.c"
compile gnu17 libprofil-tru64 -DLIBPROFIL_TRU64_ARGS5 "$tmp/tru64-args5.c" &&
	bound profil_tru64_args5 getsysinfo_tru64
result "LIBPROFIL_TRU64_ARGS5" $?

# All systems in one program, a file each.
status=0
objects=
for system in $systems default; do
	package=libprofil-$system source=$programs/$system.c
	[ "$system" != default ] || package=libprofil source=$tmp/default.c
	# shellcheck disable=SC2046
	quietly "$CC" -c -Dmain="main_$system" -o "$tmp/$system.o" \
		"$source" $(cflags "$package") || status=1
	objects="$objects $tmp/$system.o"
done
echo 'int main(void) { return 0; }' >"$tmp/main.c"
# shellcheck disable=SC2046,SC2086
quietly "$CC" -o "$tmp/program" "$tmp/main.c" $objects $(flags libprofil) ||
	status=1
# shellcheck disable=SC2046
bound $(for system in $systems; do calls "$system"; done) profil sprofil \
	profil_get_status profil_get_features profil_start_stacks profil_stop_stacks \
	profil_update_objects profil_stacks_open profil_stacks_next \
	profil_stacks_offset profil_stacks_close || status=1
result "all systems in one program" $status

make -s --no-print-directory -C "$top/libprofil" uninstall DESTDIR="$tmp/root" \
	PREFIX=/usr >"$tmp/log" 2>&1
find "$tmp/root" ! -type d >>"$tmp/log"
[ ! -s "$tmp/log" ]
result "make uninstall leaves nothing" $?

# The layouts of 32-bit systems are asserted where they are used. libc's headers
# are good for both, but for one file that says which functions are stubs.
mkdir -p "$tmp/stubs/gnu"
: >"$tmp/stubs/gnu/stubs-32.h"
m32="-m32 -I$tmp/stubs -idirafter /usr/include/$("$CC" -print-multiarch)"
# shellcheck disable=SC2086
if printf '%s\n' '#include <stdint.h>' 'int i[UINTPTR_MAX == 0xffffffff ? 1 : -1];' |
	"$CC" $m32 -include unistd.h -fsyntax-only -x c - 2>"$tmp/log"; then
	make -s -C "$top/libprofil" O="$tmp/m32" CFLAGS="-O2 $m32" \
		"$tmp/m32/lib/libprofil.a" >"$tmp/log" 2>&1
	result "the library compiles for 32 bits" $?
else
	n=$((n + 1))
	echo "ok $n - the library compiles for 32 bits # SKIP no such compiler"
fi

echo "1..$n"
exit $failed
