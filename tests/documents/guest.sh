#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs the commands of documents in a guest, each as run.pl has left it in DIRECTORY:
# N.command, N.name, N.words, N.where. TAP, but for the plan.
#
#   guest.sh DIRECTORY

commands=$1
status=0
PATH=$commands/bin:$PATH
log=/tmp/log
mkdir -p /tmp /etc/modprobe.d
depmod -a

# Each that loads the module does so as the first, and what a document has set, is
# not for the next one.
prepare()
{
	if [ "$2" != "$where" ]; then
		rm -f /etc/modprobe.d/*
		rmmod profil
		modprobe profil
		where=$2
	fi
	case $1 in
	'sudo insmod '* | 'sudo modprobe '* | 'modprobe '*) rmmod profil ;;
	esac
} 2>/dev/null

# What it has printed has the words that the document shows.
shows()
{
	while read -r word; do
		grep -qF -e "$word" $log || { echo "does not print: $word" >>$log; return 1; }
	done <"$1"
}

where=''
for file in "$commands"/*.command; do
	at=${file%.command}
	command=$(cat "$file")
	prepare "$command" "$(cat "$at.where")"
	if (cd "$where" && bash -o pipefail "$file") >$log 2>&1 </dev/null &&
	   shows "$at.words"; then
		echo "ok $(basename "$at") - $(cat "$at.name")"
	else
		echo "not ok $(basename "$at") - $(cat "$at.name")"
		tail -n 30 $log | sed 's/^/# /'
		status=1
	fi
done
rmmod profil
exit $status
