# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Completion of profil(1) for bash.

_profil_words()
{
	# shellcheck disable=SC2207 # the words have no blanks
	COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_profil_report()
{
	case $prev in
	-f | --format)
		_profil_words "
			text
			csv
			folded
			gmon
			pprof
			cpuprofile
			callgrind
			json
			firefox
			html
		"
		return
		;;
	--by)
		_profil_words "thread process object syscall line phase"
		return
		;;
	--sort)
		_profil_words "self total name"
		return
		;;
	-n | --limit | --min | --comm | --pid | --thread | --object | --function | \
		--phase | --ignore | --callers | --from | --to)
		return
		;;
	--root)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_profil_words "$1 --output --comm --pid --thread --object --function --phase --ignore \
			--from --to --wall --waits --root --no-debuginfod --help --version"
	else
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}

_profil_options()
{
	case $prev in
	-r | --rate)
		_profil_words "fast tick clock"
		return
		;;
	-o | --output)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	-p | --pid)
		_profil_words "$(cd /proc && echo [0-9]*)"
		return
		;;
	--signal)
		_profil_words "USR1 USR2"
		return
		;;
	-n | --limit | -s | --samples | -d | --duration | --delay | --rotate | --keep)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_profil_words "--output --rate --pid --follow --duration --delay --signal --rotate --keep --no-children --no-names --no-stacks --waits --no-waits --limit --quiet --samples --help --version"
	else
		mapfile -t COMPREPLY < <(compgen -W "report annotate top serve" -- "$cur"
					 compgen -c -- "$cur")
	fi
}

# The words behind "top": its options, then a command.
_profil_top()
{
	case $prev in
	-p | --pid)
		_profil_words "$(cd /proc && echo [0-9]*)"
		return
		;;
	-o | --output)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	-d | --delay)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_profil_words "--pid --delay --output --help"
	else
		_profil_run "$1"
	fi
}

# The words behind "serve": its options, then a command.
_profil_serve()
{
	case $prev in
	-p | --pid)
		_profil_words "$(cd /proc && echo [0-9]*)"
		return
		;;
	-r | --rate)
		_profil_words "fast tick clock"
		return
		;;
	--token-file)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--listen)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_profil_words "--pid --follow --rate --listen --token-file --help"
	else
		_profil_run "$1"
	fi
}

# The command from word $1 on.
_profil_run()
{
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	else
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}

# Prints the index of COMMAND among the words from $1 on, if it is there.
_profil_command()
{
	local i
	for ((i = $1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-o | -r | -n | -s | -p | -d | --output | --rate | --limit | --samples | \
			--pid | --duration | --delay | --signal | --rotate | --keep | --listen | \
			--token-file)
			((i++))
			[ "${COMP_WORDS[i]}" != = ] || ((i++)) ;;
		-*) ;;
		*) echo "$i"; return ;;
		esac
	done
}

_profil()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command verb
	# Readline splits --rate=fast into three words.
	if [ "$cur" = = ]; then
		cur=''
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	command=$(_profil_command 1)
	case ${command:+${COMP_WORDS[command]}} in
	'') _profil_options ;;
	report)
		_profil_report "--format --html --firefox --open --limit --min --sort --tree \
			--callers --by --diff"
		;;
	annotate) _profil_report --code ;;
	top | serve)
		verb=${COMP_WORDS[command]}
		command=$(_profil_command $((command + 1)))
		if [ -n "$command" ]; then
			_profil_run "$command"
		else
			"_profil_$verb" "$COMP_CWORD"
		fi
		;;
	*) _profil_run "$command" ;;
	esac
}

complete -F _profil profil
