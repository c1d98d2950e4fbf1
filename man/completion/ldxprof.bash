# SPDX-License-Identifier: Apache-2.0
# Completion for bash.  The words of the line are taken from the line itself: readline divides them at '='.

_ldx_words()
{
	local line=${COMP_LINE:0:COMP_POINT}
	read -ra ldx_words <<<"$line"
	[[ $line == *[[:space:]] ]] && ldx_words+=("")
	return 0
}

_ldx_reply()
{
	local cur=${ldx_words[-1]}
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	[[ $cur == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
	return 0
}

_ldxprof()
{
	local ldx_words
	_ldx_words
	_ldx_reply "$("${ldx_words[0]}" complete "${ldx_words[@]:1}" 2>/dev/null | cut -f1)"
}

_ldx_run()
{
	local ldx_words i=1
	_ldx_words
	while ((i < ${#ldx_words[@]} - 1)) && [[ ${ldx_words[i]} == -* ]]; do
		((i++))
	done
	if ((i < ${#ldx_words[@]} - 1)); then
		declare -F _command_offset >/dev/null || return 0
		i=1
		while [[ ${COMP_WORDS[i]} == -* || ${COMP_WORDS[i]} == = || ${COMP_WORDS[i - 1]} == = ]]; do
			((i++))
		done
		_command_offset "$i"
	elif [[ ${ldx_words[i]} == -* ]]; then
		_ldx_reply "$(ldx --ldx-print=options 2>/dev/null)"
	else
		mapfile -t COMPREPLY < <(compgen -c -- "${ldx_words[i]}")
	fi
}

complete -o default -F _ldxprof ldxprof
complete -o default -F _ldx_run ldx-run
