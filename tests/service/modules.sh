#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In a guest: what becomes of modules, and what people are told.
#
#   modules.sh CLIENT MODULE...

cp "$1" /usr/bin/client
shift
cd /tmp || exit
cat /sys/kernel/security/lockdown 2>/dev/null ||
	{ mount -t securityfs none /sys/kernel/security
	  cat /sys/kernel/security/lockdown; }
for module; do
	mkdir -p /tmp/try && cp "$module" /tmp/try/profil.ko
	dmesg -c >/dev/null
	echo "== ${module##*/}"
	(cd /tmp/try && insmod profil.ko) 2>&1 && profil -n 1 client 2>&1
	dmesg
	rmmod profil
done 2>&1
# Where shim puts the keys that a machine's owner has enrolled with MokManager.
if [ -e "${OWNER:-}" ]; then
	mkdir -p /sys/firmware/efi/efivars
	mount -t efivarfs none /sys/firmware/efi/efivars
	cat "$OWNER" >/sys/firmware/efi/efivars/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23
fi
