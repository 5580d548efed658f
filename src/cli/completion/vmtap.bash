# Completion of vmtap for bash. What can be completed comes from the command itself: verbs and
# options from --help, scripts, processes and probes from scripts, ps and list.

_vmtap_verbs() {
	"$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'
}

_vmtap_options() { # command, verb
	"$1" "$2" --help 2>/dev/null | sed -n '/^ *-/p' | grep -oE -- '(^|[ ,])--?[A-Za-z][A-Za-z-]*' |
		tr -d ' ,' | sort -u
}

_vmtap_scripts() {
	"$1" scripts 2>/dev/null | sed -n 's/^  \([a-z_0-9]*\) .*/\1/p'
}

_vmtap_processes() {
	"$1" ps 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { print $1 }'
}

_vmtap_probes() { # command, a file or pid
	"$1" list "$2" 2>/dev/null | awk 'NR > 1 { print $2 ":::" $NF }' | sort -u
}

# What the words before say about the process: a pid, or the program of a command.
_vmtap_target() {
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-p)
			echo "${COMP_WORDS[i + 1]}"
			return
			;;
		-c)
			local command=${COMP_WORDS[i + 1]#[\"\']}
			command=${command%%[ \"\']*}
			command -v -- "$command"
			return
			;;
		esac
	done
}

_vmtap() {
	local command=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=${COMP_WORDS[1]} words= files=0 target whole i
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		words="$(_vmtap_verbs "$command") help --help --version"
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
		return
	fi
	# Bash splits words at colons; a probe is put together again.
	whole=$current
	for ((i = COMP_CWORD - 1; i > 1; i--)); do
		case ${COMP_WORDS[i]} in
		*:) whole=${COMP_WORDS[i]}$whole ;;
		*)
			case ${COMP_WORDS[i + 1]} in
			:*) whole=${COMP_WORDS[i]}$whole ;;
			esac
			break
			;;
		esac
	done
	[ "$current" = "$whole" ] || before=${COMP_WORDS[i - 1]}
	case $current in :*) [ "$whole" != "$current" ] || whole=$current ;; esac
	case $verb,$before in
	help,*) words=$(_vmtap_verbs "$command") ;;
	*,-p) words=$(_vmtap_processes "$command") ;;
	*,--via) words="stream kernel auto" ;;
	top,--sort) words="self total calls bytes name" ;;
	heap,--sort) words="bytes objects growth" ;;
	flame,--by) words="time calls bytes blocked" ;;
	trace,-n | serve,-n | top,-n | record,-n)
		target=$(_vmtap_target)
		[ -z "$target" ] || words=$(_vmtap_probes "$command" "$target")
		;;
	*,-s | *,-o | *,--log | *,--contract | *,--socket | *,-L | *,-I | *,-c) files=1 ;;
	*)
		case $verb,$current in
		*,-*) words=$(_vmtap_options "$command" "$verb") ;;
		trace,* | serve,* | scripts,*) words=$(_vmtap_scripts "$command") ;;
		dump,*) words=$(_vmtap_processes "$command") ;;
		list,* | check,* | heap,* | flame,*)
			words=$(_vmtap_processes "$command")
			files=1
			;;
		ps,*) ;;
		*) files=1 ;;
		esac
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$whole")
	if [ "$files" = 1 ]; then
		local found
		mapfile -t found < <(compgen -f -- "$current")
		COMPREPLY+=("${found[@]}")
		compopt -o filenames 2>/dev/null
	fi
	# Readline replaces the last of the words only.
	if [ "$whole" != "$current" ]; then
		local prefix=${whole%"$current"}
		COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
	fi
}

complete -F _vmtap vmtap
