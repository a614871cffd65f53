#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes RPM packages of the tarball of a release, in $O/rpm.

set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$TOP/VERSION"

usage()
{
	cat <<END
usage: scripts/rpm.sh source             make the source package
       scripts/rpm.sh binary [OPTION...] and the packages, with what is installed here
The paths of the packages are printed. OPTIONs are rpmbuild's: --nocheck...
END
}

# Where the system's packages are not RPM's, it cannot ask for them.
has_rpms() { rpm -q rpm >/dev/null 2>&1; }

main()
{
	local what=-bs options=()
	case ${1:-} in
	source)	;;
	binary)	what=-ba ;;
	*)	usage >&2; exit 2 ;;
	esac
	rm -rf "$O/rpm"
	mkdir -p "$O"/rpm/{SOURCES,SPECS}
	cp "$("$TOP/scripts/dist.sh")" "$O/rpm/SOURCES"
	sed "s/^\(Version: *\)0\$/\1$VERSION/" "$TOP/packaging/rpm/profil.spec" \
		>"$O/rpm/SPECS/profil.spec"
	has_rpms || options=(--nodeps)
	# What make has set for others is not for these.
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u CACHE \
		rpmbuild -D "_topdir $O/rpm" "$what" "${options[@]}" "${@:2}" \
		"$O/rpm/SPECS/profil.spec" >&2
	find "$O/rpm" -name '*.rpm'
}

main "$@"; exit
