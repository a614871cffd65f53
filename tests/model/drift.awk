# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The key steps of each function in C or Promela without comments on standard
# input, one function a line: "name: step step ...". A step is the use of a word
# in the file WORDS; the same one again and again is one step.

BEGIN {
	while ((getline word < words) > 0)
		is_key[word]
}

function end_function()
{
	if (name != "")
		print name ":" steps
	name = ""
}

# A function begins at the start of a line, and so does its closing brace.
{ text = $0 }

/^[a-z].*[a-z0-9_]+\(/ && !/;[ \t]*$/ && name == "" {
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[^a-z0-9_]/, "", name)
	sub(/^[^(]*\([^)]*\)?/, "", text)
	steps = last = ""
	open = 0
}

/^}/ { end_function(); next }

# A declaration of several lines.
name != "" && !open && /;[ \t]*$/ { name = ""; next }

/{/ { open = 1 }

name != "" {
	gsub(/_irq(save|restore)?\(/, "(", text)
	gsub(/kref_(get|put)\(&(run|regions)/, "(", text)
	gsub(/"[^"]*"/, "", text)
	while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (word in is_key && word != last && word != name)
			steps = steps " " (last = word)
	}
}

# All in one line.
/{.*}[ \t]*$/ && /^[a-z]/ { end_function() }

END { end_function() }
