# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Counts the results in TAP and KTAP, several of them after one another and
# nested as they may be:
#
#   awk -v suite=NAME -v status=N [-v skips=FILE] -f tally.awk
#
# prints what is wrong and at last "PASSED FAILED SKIPPED". A result that has results
# of its own is counted only if it fails and they do not. Failures are also: a
# plan that is missing or not kept, no results at all, a skip that is not in
# the list FILE ("SUITE-REGEXP NAME-REGEXP" lines), and a status other than 0
# without a failure that explains it.

function problem(text)
{
	failed++
	print "# " suite ": " text
}

# Ends the group of results at this indentation and all that are deeper.
function close_groups(level,	l)
{
	for (l = MAX; l >= level; l--) {
		if (!(l in seen))
			continue
		if (!(l in plan))
			problem("no plan for " seen[l] " results")
		else if (plan[l] != seen[l])
			problem("planned " plan[l] " results, got " seen[l])
		delete plan[l]
		delete seen[l]
	}
}

function has_children(level,	l)
{
	for (l = level + 1; l <= MAX; l++)
		if (l in seen)
			return 1
	return 0
}

function start_plan(level, count)
{
	# After its results, it is theirs; before them, it starts a group.
	if ((level in seen) && !(level in plan) && seen[level] > 0) {
		plan[level] = count
		return
	}
	close_groups(level)
	plan[level] = count
	seen[level] = 0
	failed_before[level] = failed
}

function skip_is_known(name,	i)
{
	for (i = 1; i <= nskips; i++)
		if (suite ~ skip_suite[i] && name ~ skip_name[i])
			return 1
	return 0
}

function result(level, ok, name)
{
	if (has_children(level)) {
		close_groups(level + 1)
		if (!ok && failed == failed_before[level])
			problem("fails, though nothing in it did: " name)
	# As cmocka writes a skip, with nothing before it, is as well "not ok".
	} else if (!ok && name !~ /^# *SKIP /) {
		problem("not ok: " name)
	} else if (toupper(name) ~ /# *SKIP/) {
		skipped++
		if (!skip_is_known(name))
			problem("skipped, and not in the list of skips: " name)
	} else {
		passed++
	}
	# One that is kept is over: this begins a group whose plan is to follow.
	if ((level in plan) && seen[level] == plan[level]) {
		delete plan[level]
		seen[level] = 0
	}
	seen[level]++
	failed_before[level] = failed
}

BEGIN {
	MAX = 40
	while (skips != "" && (getline line < skips) > 0) {
		if (line ~ /^(#|$)/)
			continue
		nskips++
		split(line, part, " ")
		skip_suite[nskips] = part[1]
		skip_name[nskips] = substr(line, length(part[1]) + 2)
	}
}

{
	sub(/\r$/, "")
	match($0, /^ */)
	level = RLENGTH
	line = substr($0, level + 1)
}

level > MAX { next }

line ~ /^K?TAP version / {
	close_groups(level)
	failed_before[level] = failed
}

line ~ /^1\.\.[0-9]+/ {
	count = substr(line, 4) + 0
	if (count == 0) {
		seen[level] += 0
		if (toupper(line) ~ /# *SKIP/ && !skip_is_known(line))
			problem("skipped, and not in the list of skips: " line)
	}
	start_plan(level, count)
}

line ~ /^(not )?ok( |$)/ {
	name = line
	sub(/^(not )?ok *[0-9]* *-? */, "", name)
	result(level, line ~ /^ok/, name)
}

line ~ /^Bail out!/ { problem(line) }

END {
	close_groups(0)
	if (passed + failed + skipped == 0)
		problem("no results")
	if (status != 0 && failed == 0)
		problem("exit status " status)
	print passed + 0, failed + 0, skipped + 0
}
