#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# page.sh O [DIRECTORY]: the page in a browser, of 30, 5,000 and 15,000 functions,
# and of 20,000 and a million samples with stacks, as wide as a desk's screen and
# as a phone's, light and dark. Prints TAP without a plan; pictures are left in
# DIRECTORY.

set -uo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
O=$(cd "$1" && pwd)
REPORT=$O/tools/profil-report
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

# frame WIDTH CHECKS: the page in a frame of so many pixels, and what it says.
frame()
{
	{
		cat "$WORK/page.html"
		printf '<script>const WIDTH = %d, REPORT = ' "$1"
		python3 -c 'import json, sys
print(json.dumps(sys.stdin.read()).replace("<", "\\u003c"))' <"$WORK/report.txt"
		printf ';</script>\n<script>\n'
		sed "s:</script:<\\\\/script:g" "$HERE/$2"
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

# check CHECKS NAME WIDTH SCHEME WORD
check()
{
	local checks=$1 result line
	shift
	frame "$2" "$checks" >"$WORK/frame.html"
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

# check_all CHECKS NAME WORD
check_all()
{
	local width scheme
	for width in 1280 390; do
		for scheme in 1 0; do
			check "$1" "$2, $width pixels, scheme $scheme" \
				$width $scheme "$3-$width-$scheme"
		done
	done
}

# smaller FILE BYTES NAME
smaller()
{
	local size
	size=$(stat -c %s "$1")
	[ "$size" -lt "$2" ] || printf 'not '
	echo "ok - $3: $size bytes"
}

check_stacks()
{
	local samples functions stacks
	if ! make -s -C "$HERE/../tools" O="$O" "$O/tools-tests/stacks_page" >&2; then
		echo "not ok - what makes profiles with stacks is built"
		return
	fi
	while read -r samples functions stacks; do
		"$O/tools-tests/stacks_page" "$WORK" "$samples" "$functions" "$stacks"
		cp "$WORK/page.html" "$WORK/opened.html"
		check_all stacks-check.js "$samples samples with stacks" "stacks-$samples"
	done <<-END
		20000 400 2000
		1000000 800 10000
	END
	smaller "$WORK/page.html" 6000000 "a page of a million samples is small"
	# All stacks are different ones.
	"$O/tools-tests/stacks_page" "$WORK" 1000000 800 1000000
	smaller "$WORK/page.html" 6000000 "so is one whose stacks are all different"
	check stacks-check.js "different stacks" 1280 1 stacks-different
}

main()
{
	local n
	build_object
	[ -z "$PICTURES" ] || mkdir -p "$PICTURES"
	check_stacks
	: >"$WORK/report.txt"
	for n in 30 5000 15000; do
		python3 "$HERE/page.py" "$WORK/$n" "$n" "$WORK/wide.so"
		"$REPORT" report --html -o "$WORK/page.html" "$WORK/$n"
		{
			cat "$WORK/page.html"
			echo '<script>rows = document.querySelectorAll("td.name button");' \
				'for (const row of rows) if (/^wide|twice/.test(row.textContent)) row.click();' \
				'</script>'
		} >"$WORK/opened.html"
		check_all page-check.js "$n functions" "$n"
	done
}

main
