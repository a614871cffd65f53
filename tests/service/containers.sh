#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In a guest: a profile in containers, under AppArmor, and where an administrator has
# set limits; and what people are told.
#
#   containers.sh CLIENT
#
# CLIENT is called "client", by its name alone.

cp "$1" /usr/bin/client
cd /tmp || exit
mkdir -p /sys/fs/cgroup /run /var /etc/apparmor
mount -t securityfs none /sys/kernel/security
mount -t cgroup2 none /sys/fs/cgroup
echo 0123456789abcdef0123456789abcdef >/etc/machine-id
echo 'ID=guest' >/etc/os-release
: >/etc/apparmor/parser.conf

echo "== default"
dmesg

echo "== apparmor"
cat >confined <<END
profile client /usr/bin/client {
  file,
  audit deny /dev/profil rw,
}
END
apparmor_parser --skip-cache -r confined
dmesg -c >/dev/null
profil -n 1 client 2>&1
dmesg
apparmor_parser --skip-cache -R confined

# A root directory with the programs of this one.
mkdir -p /machine/proc /machine/sys /machine/dev /machine/run /machine/tmp
for directory in bin lib lib64 usr sbin etc; do
	[ ! -d /$directory ] || cp -a /$directory /machine
done
echo fedcba9876543210fedcba9876543210 >/machine/etc/machine-id
set -- /usr/local/bin/profil -n 1 -o /tmp/profil.out client

echo "== chroot"
chroot /machine "$@" 2>&1

echo "== nspawn"
nspawn="systemd-nspawn --register=no --keep-unit -q -D /machine"
$nspawn "$@" 2>&1
echo "== nspawn, bound"
$nspawn --bind=/dev/profil "$@" 2>&1

major=$(awk '$2 == "profil" { print $1 }' /proc/devices)
words=$(printf '%s\n' "$@" | sed 's/.*/"&"/' | tr '\n' ',' | sed 's/,$//')

# bundle NODE ALLOWED: as an engine describes a container. ALLOWED may be nothing.
bundle()
{
	cat <<-END
	{ "ociVersion": "1.0.0",
	  "process": { "user": { "uid": 0, "gid": 0 }, "cwd": "/", "args": [ $words ],
		       "env": [ "PATH=/usr/local/bin:/usr/bin:/bin" ], "noNewPrivileges": true },
	  "root": { "path": "/machine" },
	  "mounts": [
	    { "destination": "/proc", "type": "proc", "source": "proc" },
	    { "destination": "/dev", "type": "tmpfs", "source": "tmpfs",
	      "options": [ "nosuid", "mode=755" ] } ],
	  "linux": {
	    "namespaces": [ { "type": "pid" }, { "type": "mount" }, { "type": "ipc" } ],
	    "devices": [ $1 ],
	    "resources": { "devices": [ { "allow": false, "access": "rwm" } $2 ] } } }
	END
}

node="{ \"path\": \"/dev/profil\", \"type\": \"c\", \"major\": $major, \"minor\": 0, \"fileMode\": 438 }"
allowed=", { \"allow\": true, \"type\": \"c\", \"major\": $major, \"minor\": 0, \"access\": \"rw\" }"

# contain RUNTIME NAME NODE ALLOWED
contain()
{
	mkdir -p /bundle
	bundle "$3" "$4" >/bundle/config.json
	echo "== $1, $2"
	(cd /bundle && "$1" run --no-pivot "container-$$") 2>&1
}

for runtime in crun runc; do
	contain $runtime "no node" '' ''
	contain $runtime "device" "$node" "$allowed"
	contain $runtime "not allowed" "$node" ''
done

nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

# As the rule of udev for a group leaves it.
chmod 1777 /tmp
chmod 0660 /dev/profil
echo "== not of the group"
nobody profil -n 1 -o /tmp/outsider.out client 2>&1
chgrp 65534 /dev/profil
echo "== of the group"
nobody profil -n 1 -o /tmp/member.out client 2>&1

echo "== limited"
mkdir -p /etc/modprobe.d
echo 'options profil max_profiles=0' >/etc/modprobe.d/profil.conf
depmod -a
rmmod profil && modprobe profil 2>&1
setpriv --bounding-set=-sys_resource profil -n 1 client 2>&1
echo "== switched off"
echo 64 >/sys/module/profil/parameters/max_profiles
echo N >/sys/module/profil/parameters/enabled
profil -n 1 client 2>&1
