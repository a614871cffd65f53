# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# A later version of the module, for DKMS, which would leave it where it is; sourced,
# never run.

# later_version DIRECTORY: profil-99.0 there. All of the module is that it says so.
later_version()
{
	local tree=$1/profil-99.0
	mkdir -p "$tree/kmod"
	printf 'version=99.0\0' >"$tree/modinfo"
	cc -c -x c -o "$tree/empty.o" /dev/null &&
		objcopy --add-section .modinfo="$tree/modinfo" "$tree/empty.o" "$tree/made" &&
		sed -e '/^\. /d' -e 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION=99.0/' \
			-e 's|^MAKE\[0\]=.*|MAKE[0]="cp made kmod/profil.ko"|' \
			"$TOP/dkms.conf" >"$tree/dkms.conf"
}
