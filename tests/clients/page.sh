#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# page.sh PROFIL-REPORT [DIRECTORY]: the page in a browser, of 30, 5,000 and
# 15,000 functions, as wide as a desk's screen and as a phone's, light and dark.
# Prints TAP without a plan; pictures are left in DIRECTORY.

set -uo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
REPORT=$1
PICTURES=${2:-}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# browse WIDTH SCHEME OPTION...: 0 is dark, 1 is light. What is narrower than a
# window can be has a frame in it.
browse()
{
	local width=$1 scheme=$2
	shift 2
	timeout 300 chromium --headless --no-sandbox --disable-gpu \
		--hide-scrollbars --user-data-dir="$WORK/chromium" \
		--window-size="$width,1400" --virtual-time-budget=10000 \
		--blink-settings=preferredColorScheme="$scheme" "$@" 2>/dev/null
}

# A program with source, inlined calls and a very long line.
build_object()
{
	{
		cat "$HERE/../tools/fixtures/inlined.cc"
		printf 'extern "C" int wide() { return 1'
		printf ' + has_calls(%d)' {1..400}
		echo '; }'
	} >"$WORK/wide.cc"
	g++ -O2 -g -fPIC -shared -o "$WORK/wide.so" "$WORK/wide.cc"
}

# The page in a frame of WIDTH pixels, and what it says.
frame()
{
	{
		cat "$WORK/page.html"
		printf '<script>const WIDTH = %d;</script>\n<script>\n' "$1"
		sed 1,3d "$HERE/page-check.js"
		echo "</script>"
	} >"$WORK/checked.html"
	cat <<END
<!DOCTYPE html>
<iframe style="width: $1px; height: 1400px; border: 0" src="checked.html"></iframe>
<pre></pre>
<script>
addEventListener("message", event => {
	document.querySelector("pre").textContent = event.data;
});
</script>
END
}

# check NAME WIDTH SCHEME WORD
check()
{
	local result line
	frame "$2" >"$WORK/frame.html"
	result=$(browse 1400 "$3" --dump-dom "file://$WORK/frame.html" |
			 sed -n '/>RESULT$/,/^END/p')
	if ! grep -q '^END' <<<"$result"; then
		echo "not ok - $1: the page works in a browser"
		return
	fi
	grep -E '^(not )?ok ' <<<"$result" | while read -r line; do
		echo "${line%%ok *}ok - $1: ${line#*ok }" | sed 's/&amp;/\&/g'
	done
	[ -z "$PICTURES" ] || browse "$2" "$3" \
		--screenshot="$PICTURES/$4.png" "file://$WORK/opened.html"
}

main()
{
	local n width scheme
	build_object
	[ -z "$PICTURES" ] || mkdir -p "$PICTURES"
	for n in 30 5000 15000; do
		python3 "$HERE/page.py" "$WORK/$n" "$n" "$WORK/wide.so"
		"$REPORT" report --html -o "$WORK/page.html" "$WORK/$n"
		{
			cat "$WORK/page.html"
			echo '<script>rows = document.querySelectorAll("td.name button");' \
				'for (const row of rows) if (/^wide|twice/.test(row.textContent)) row.click();' \
				'</script>'
		} >"$WORK/opened.html"
		for width in 1280 390; do
			for scheme in 1 0; do
				check "$n functions, $width pixels, scheme $scheme" \
					$width $scheme "$n-$width-$scheme"
			done
		done
	done
}

main
