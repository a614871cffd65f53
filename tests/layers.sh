#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks that a folder includes only headers of its own and of the folders that it
# stands on. Silent if so.

set -euo pipefail
cd "$(dirname "$0")/.."

# FOLDER, and what it stands on.
rules()
{
	cat <<-END
		kmod/unwind
		kmod/stack          kmod kmod/unwind
		kmod/update         kmod kmod/stack
		kmod/tick           kmod kmod/stack kmod/update
		kmod                kmod/unwind kmod/stack kmod/update kmod/tick
		libprofil
		libprofil/preload   libprofil
		tools/common
		tools/reader        tools/common
		tools/report        tools/common tools/reader tools/profile tools/object tools/content tools/formats tools/top
		tools/top           tools/common tools/reader tools/profile tools/object tools/content
		tools/serve         tools/common
		tools/attach        tools/common tools/reader
		tools/run           tools/common tools/reader tools/attach tools/report
		tools/profile       tools/common tools/reader
		tools/object        tools/common tools/profile
		tools/content       tools/common tools/profile tools/object
		tools/formats       tools/common tools/profile tools/object tools/content
	END
}

# owner FOLDER NAME: where the header is that a file of FOLDER includes as NAME.
owner()
{
	local name=${2##*/} folder
	for folder in "$1" "${1%%/*}" "${1%%/*}"/*/; do
		if [ -e "$folder/$name" ]; then
			echo "${folder%/}"
			return
		fi
	done
}

status=0
while read -r folder allowed; do
	[ -d "$folder" ] || continue
	while IFS='"' read -r file name _; do
		from=$(owner "$folder" "$name")
		if [[ " $folder $allowed " != *" ${from:-$folder} "* ]]; then
			echo "${file%%:*}: includes $name, of $from"
			status=1
		fi
	done < <(grep -sHo '^#include "[^"]*"' "$folder"/*.[ch])
done < <(rules)
exit $status
