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
		_profil_words "thread process object syscall line"
		return
		;;
	--sort)
		_profil_words "self total name"
		return
		;;
	-n | --limit | --min | --comm | --pid | --thread | --object | --function | \
		--ignore | --callers | --from | --to)
		return
		;;
	--root)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_profil_words "--format --html --firefox --open --output --limit --min --sort --comm --pid \
			--thread --object --function --ignore --from --to --tree \
			--callers --by --diff --wall --waits --root --no-debuginfod \
			--code --help --version"
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
	-n | --limit | -s | --samples | -d | --duration | --delay)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_profil_words "--output --rate --pid --follow --duration --delay --no-children --no-names --no-stacks --waits --no-waits --limit --quiet --samples --help --version"
	else
		mapfile -t COMPREPLY < <(compgen -W "report annotate" -- "$cur"
					 compgen -c -- "$cur")
	fi
}

# Prints the index of COMMAND among the words, if it is there.
_profil_command()
{
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-o | -r | -n | -s | -p | -d | --output | --rate | --limit | --samples | \
			--pid | --duration | --delay)
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
	local command
	# Readline splits --rate=fast into three words.
	if [ "$cur" = = ]; then
		cur=''
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	command=$(_profil_command)
	case ${command:+${COMP_WORDS[command]}} in
	'') _profil_options ;;
	report | annotate) _profil_report ;;
	*)
		if declare -F _command_offset >/dev/null; then
			_command_offset "$command"
		else
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	esac
}

complete -F _profil profil
