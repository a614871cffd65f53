#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The module on machines that do not take every module, and profiles where not
# everybody gets a device: Secure Boot, lockdown, AppArmor, containers. What people
# are told there is what docs/security.md says. TAP.

set -uo pipefail
. "$(dirname "$0")/../../scripts/common.sh"
HERE=$TOP/tests/service
RUN=$TOP/tests/qemu/run.sh
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
. "$TOP/tests/tap.sh"
K=6.12
CLIENT=$WORK/client

# The keys of Debian's test firmware, and one that nobody knows.
FIRMWARE_KEY=/usr/share/ovmf/PkKek-1-snakeoil
export FIRMWARE=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
export VARIABLES=$WORK/variables SIGNED=$WORK/vmlinuz

make_keys()
{
	openssl rsa -in $FIRMWARE_KEY.key -passin pass:snakeoil -out "$WORK/firmware.key" &&
		cp $FIRMWARE_KEY.pem "$WORK/firmware.pem" &&
		openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=owner/" \
			-keyout "$WORK/owner.key" -out "$WORK/owner.pem" &&
		openssl x509 -in "$WORK/firmware.pem" -outform DER -out "$WORK/firmware.der" &&
		openssl x509 -in "$WORK/owner.pem" -outform DER -out "$WORK/owner.der"
}

# number BYTES: on 4 bytes, the lowest first.
number() { printf '%08x' "$1" | sed 's/\(..\)\(..\)\(..\)\(..\)/\\x\4\\x\3\\x\2\\x\1/'; }

# A variable of the firmware with one key: attributes, then a signature list of a
# certificate, whose owner is nobody.
owner_list()
{
	local size
	size=$(stat -c %s "$WORK/owner.der")
	printf '%b' "$(number 7)" '\xa1\x59\xc0\xa5\xe4\x94\xa7\x4a' \
		'\x87\xb5\xab\x15\x5c\x2b\xf0\x72' "$(number $((size + 44)))" \
		"$(number 0)" "$(number $((size + 16)))"
	head -c 16 /dev/zero
	cat "$WORK/owner.der"
}

sign()
{
	local kernel=$1 ko build
	ko=$("$TOP/scripts/module.sh" "$kernel") &&
		build=$("$TOP/scripts/kernel.sh" build "$kernel") || return
	cp "$ko" "$WORK/unsigned.ko"
	for key in owner firmware; do
		"$build/scripts/sign-file" sha256 "$WORK/$key.key" "$WORK/$key.der" \
			"$ko" "$WORK/$key.ko" || return
	done
	sbsign --key "$WORK/firmware.key" --cert "$WORK/firmware.pem" --output "$SIGNED" \
		"$("$TOP/scripts/kernel.sh" tree "$kernel")/boot/vmlinuz-$("$TOP/scripts/kernel.sh" release "$kernel")"
}

prepare()
{
	"$TOP/scripts/kernel.sh" fetch $K && make_keys && sign $K &&
		owner_list >"$WORK/owner.list" &&
		cp "${FIRMWARE/CODE_4M.secboot/VARS_4M.snakeoil}" "$VARIABLES" &&
		cc -g -O2 -o "$CLIENT" "$TOP/tests/documents/fixtures/program.c"
}

# guest NAME OPTION... -- COMMAND...: what it prints is in NAME.
guest()
{
	"$RUN" -k $K -m 2G -f "$CLIENT" "${@:2}" >"$WORK/$1" 2>&1 </dev/null ||
		{ cat "$WORK/$1"; return 1; }
}

# modules GUEST OPTION... -- MODULE...
modules()
{
	local name=$1 options=(-n -f /usr/sbin/insmod) files=() module
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	for module in "${@:2}"; do
		files+=("$WORK/$module.ko")
		options+=(-f "$WORK/$module.ko")
	done
	guest "$name" "${options[@]}" -- "$HERE/modules.sh" "$CLIENT" "${files[@]}"
}

secure() { QEMU=$HERE/firmware.sh modules "$@"; }

# says GUEST PART TEXT...: there, and each in the document, too.
says()
{
	local part text
	part=$(awk -v part="== $2" '/^== / { on = $0 == part } on' "$WORK/$1")
	echo "$part"
	for text in "${@:3}"; do
		grep -qF -e "$text" <<<"$part" || { echo "not printed: $text"; return 1; }
		grep -qF -e "$text" "$TOP/docs/security.md" ||
			{ echo "not in docs/security.md: $text"; return 1; }
	done
}

# profiled GUEST PART
profiled()
{
	says "$1" "$2"
	grep -q '^[1-9]' < <(awk -v part="== $2" \
		'/^== / { on = $0 == part } on && $2 == "samples,"' "$WORK/$1")
}

MISSING='/dev/profil: not there: the kernel module is not loaded (try: modprobe profil), or the device is missing in this container or root directory: client runs without a profile'
REJECTED='insmod: ERROR: could not insert module profil.ko: Key was rejected by service'

plan 29
check "there are keys, and a signed kernel and modules" prepare

check "a guest boots with Secure Boot" \
	secure secure -e OWNER="$WORK/owner.list" -f "$WORK/owner.list" -l efivarfs \
	-- unsigned owner firmware
check "it is locked down" grep -F '[integrity]' "$WORK/secure"
check "an unsigned module is refused" says secure unsigned.ko "$REJECTED" \
	'Loading of unsigned module is rejected'
check "one with a key that it does not know, too" says secure owner.ko "$REJECTED" \
	'Loading of module with unavailable key is rejected'
check "one with a key of the firmware's is loaded, and profiles" profiled secure firmware.ko
check "it boots again, with a key of its owner's" secure owned -- unsigned owner
check "a module with that is loaded, and makes profiles" profiled owned owner.ko
check "and an unsigned one still refused" says owned unsigned.ko "$REJECTED"

check "a guest boots that wants signatures" modules enforced -a module.sig_enforce=1 \
	-- unsigned
check "it refuses an unsigned module" says enforced unsigned.ko "$REJECTED" \
	'Loading of unsigned module is rejected'
check "a guest boots that is locked down" modules locked -a lockdown=integrity -- unsigned
check "it refuses an unsigned module, in other words" says locked unsigned.ko \
	'insmod: ERROR: could not insert module profil.ko: Operation not permitted' \
	'Lockdown: insmod: unsigned module loading is restricted; see man kernel_lockdown.7'

check "a guest boots that takes every module" guest open \
	-f /usr/sbin/apparmor_parser -f /usr/bin/systemd-nspawn -f /usr/bin/crun \
	-f /usr/sbin/runc -f /usr/bin/setpriv \
	-f /usr/sbin/depmod -f /usr/sbin/modprobe -- "$HERE/containers.sh" "$CLIENT"
check "it tells of one that is not signed" says open default \
	'profil: module verification failed: signature and/or required key missing - tainting kernel'
check "AppArmor denies the device" says open apparmor \
	'libprofil-preload: /dev/profil: Permission denied (see FILES in profil(4)): client runs without a profile' \
	'apparmor="DENIED" operation="open" class="file" profile="client" name="/dev/profil"'
check "there is no node in a root directory without one" says open chroot "profil: $MISSING"
check "nor with systemd-nspawn" says open nspawn "profil: $MISSING"
check "which can bind it" profiled open "nspawn, bound"
for runtime in crun runc; do
	check "$runtime gives a container no node" says open "$runtime, no node" \
		"profil: $MISSING"
	check "with the device there are profiles" profiled open "$runtime, device"
	check "with one that it may not open, there are none" \
		says open "$runtime, not allowed" \
		'profil: /dev/profil: Operation not permitted: client runs without a profile'
done

check "a group's device is for nobody else" says open "not of the group" \
	'profil: /dev/profil: Permission denied (see FILES in profil(4)): client runs without a profile'
check "and for its members" profiled open "of the group"
REASON="this user has as many profiles as the module's max_profiles allows (stop one, or raise that parameter)"
check "what modprobe.d says of limits, holds" says open limited \
	"libprofil-preload: /dev/profil: $REASON: client runs without a profile"
check "profiling can be switched off" says open "switched off" \
	"libprofil-preload: /dev/profil: the administrator has switched profiling off (the module's parameter enabled is N): client runs without a profile"
tap_end
