#!/bin/bash
# Completion in bash and zsh: verbs, options, scripts, processes and probes of a process.
set -u
. tests/e2e/common
ln -s "$VMTAP" "$directory/vmtap"
export PATH=$directory:$PWD/$BUILD:$PATH
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"

# What completion offers for the last word, with the words as bash splits them.
cat >"$directory/bash" <<'B'
. src/cli/completion/vmtap.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_vmtap
printf '%s\n' "${COMPREPLY[@]}"
B
offers() { # expected (an extended regular expression for a whole line), words
	local expected=$1
	shift
	bash "$directory/bash" "$@" >"$directory/out" 2>"$directory/err" || fail "bash: $*"
	is_silent || fail "bash: $*"
	grep -qxE -- "$expected" "$directory/out" || fail "bash: no $expected for: $*"
}
offers_not() {
	local expected=$1
	shift
	bash "$directory/bash" "$@" >"$directory/out" 2>"$directory/err"
	grep -qxE -- "$expected" "$directory/out" && fail "bash: $expected for: $*"
	return 0
}
for verb in $("$VMTAP" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	offers "$verb" vmtap ''
	# Every option that --help names is offered.
	"$VMTAP" "$verb" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' >"$directory/options"
	[ -s "$directory/options" ] || fail "$verb has no options"
	while read -r option; do
		offers "$option" vmtap "$verb" "${option%?}"
	done <"$directory/options"
done
offers_not 'trace' vmtap 're'
offers 'record' vmtap 're'
offers '-p' vmtap trace '-'
offers 'gc_pause' vmtap trace 'gc_'
offers_not 'method_time' vmtap trace 'gc_'
offers 'method_time' vmtap scripts 'method'
offers "$pid" vmtap trace -p ''
offers "$pid" vmtap list ''
offers "$pid" vmtap dump ''
offers_not 'README.md' vmtap dump ''
offers 'kernel' vmtap trace --via 'k'
offers 'blocked' vmtap flame --by 'b'
# The line: vmtap trace -p PID -n vmPID:::gc-
offers 'gc-start' vmtap trace -p "$pid" -n "vm$pid" ::: gc-
offers "vm$pid:::gc-start" vmtap trace -p "$pid" -n "vm$pid"
offers_not 'method-entry' vmtap trace -p "$pid" -n "vm$pid" ::: gc-
offers 'gc-end' vmtap record -c "$TOY" -n vm ::: gc-e
offers 'README.md' vmtap log READ
complete=$(bash -c '. src/cli/completion/vmtap.bash; complete -p vmtap')
[ "$complete" = 'complete -F _vmtap vmtap' ] || fail "not registered: $complete"

command -v zsh >/dev/null || { echo "zsh is missing"; exit 77; }
# zsh completes in a terminal; python3 presses the keys.
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
cat >"$directory/keys.py" <<'P'
import os, pty, re, select, sys, time
# keys.py FOLDER LINE: what zsh shows after LINE and two tabs
folder, line = sys.argv[1:3]
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb", ZDOTDIR=folder, COLUMNS="200", LINES="1000")
    os.execvp("zsh", ["zsh", "-i"])
shown = b""
def read_until(mark):
    global shown
    while mark not in shown:
        if not select.select([terminal], [], [], 120)[0]:
            sys.exit("zsh shows nothing more; so far: %r" % shown)
        shown += os.read(terminal, 65536)
read_until(b"READY>")
shown = b""
# After the list, a word of our own shows that zsh has dealt with the tab.
os.write(terminal, line.encode() + b"\t\t")
os.write(terminal, b"\x18\x0b")
read_until(b"END-OF-LIST")
os.write(terminal, b"\x03exit\r")
sys.stdout.write(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode(errors="replace")))
P
cat >"$directory/.zshrc" <<'Z'
PS1='READY>'
fpath=($PWD/src/cli/completion $fpath)
autoload -Uz compinit && compinit -u -d $ZDOTDIR/dump
zstyle ':completion:*' list-prompt ''
setopt no_list_beep auto_list
LISTMAX=0
done-mark() { zle -M END-OF-LIST; print -n END-OF-LIST }
zle -N done-mark
bindkey '^X^K' done-mark
Z
shows() { # expected, line
	timeout 300 python3 "$directory/keys.py" "$directory" "$2" >"$directory/out" 2>"$directory/err" || fail "zsh: $2"
	tr -s ' \r\t' '\n' <"$directory/out" | grep -qxE -- "$1" || fail "zsh: no $1 for: $2"
}
shows scripts 'vmtap '
shows --contract 'vmtap check --'
shows gc_phases 'vmtap trace gc_'
shows "$pid" 'vmtap list '
shows "$pid" 'vmtap dump '
shows "vm$pid:::gc-start" "vmtap trace -p $pid -n vm$pid:::gc-"
exit 0
