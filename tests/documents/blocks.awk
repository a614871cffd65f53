# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a document has for people to type, or to compile:
#
#   awk -v code=DIRECTORY/ -f blocks.awk DOCUMENT
#
# prints lines of a kind, a tab, and a text:
#
#   section	a heading, with its ##
#   command	a line of a block. If any of the block's begins with "$ " or "# ", the
#		prompt of a shell, those that do; the others are
#   output	what the command before it has printed
#   code	the name of a file in DIRECTORY, which has a block of C in it
#
# Of Markdown, blocks are what is four columns to the right; of man pages, what is
# displayed among their EXAMPLES.

function is_prompt(line) { return line ~ /^[$#] / && line !~ /^# *(include|define)/ }

function finish(    i, name, prompts) {
	if (!n)
		return
	if (block[1] ~ /^(#include|static|extern|struct) ?/) {
		name = sprintf("%d.c", ++codes)
		for (i = 1; i <= n; i++)
			print block[i] >(code name)
		close(code name)
		print "code\t" name
		n = 0
		return
	}
	for (i = 1; i <= n; i++)
		prompts += is_prompt(block[i])
	for (i = 1; i <= n; i++) {
		if (block[i] == "")
			continue
		if (!prompts)
			print "command\t" block[i]
		else if (is_prompt(block[i]))
			print "command\t" substr(block[i], 3)
		else
			print "output\t" block[i]
	}
	n = 0
}

function plain(line) {
	gsub(/\\\(dq/, "\"", line)
	gsub(/\\&/, "", line)
	gsub(/\\e/, "\\", line)
	return line
}

FNR == 1 { page = FILENAME ~ /\.[1-9]$/; examples = 0 }

page && /^\.Sh / { finish(); examples = $2 == "EXAMPLES" }
page && !examples { next }
page && /^\.Dl / { block[++n] = plain(substr($0, 5)); next }
page && /^\.Bd / { finish(); display = 1; next }
page && /^\.Ed/ { display = 0; finish(); next }
page && display { block[++n] = plain($0); next }
page { finish(); next }

/^##* / { finish(); print "section\t" $0; next }
/^    / { while (blank-- > 0 && n) block[++n] = ""; blank = 0
	  block[++n] = substr($0, 5); next }
/^$/ { blank++; next }
{ finish(); blank = 0 }

END { finish() }
