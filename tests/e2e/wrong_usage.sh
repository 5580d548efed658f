#!/bin/bash
# Wrong options of every verb: one line that names the option, one that refers to the help, exit
# status 2, and nothing on standard output.
# tests: src/base/command_line.c src/cli/record/record_options.c
. tests/e2e/common

wrong() { # message, verb, arguments
	local message=$1 verb=$2
	shift
	run 2 "$@"
	[ "$(cat "$directory/err")" = "vmtap $verb: $message"$'\n'"Try 'vmtap $verb --help'." ] ||
		fail "vmtap $*: expected $message"
	[ -s "$directory/out" ] && fail "vmtap $*: output"
	return 0
}
for verb in list check diff generate ps trace record log scripts; do
	wrong "'-Y' is not an option" $verb -Y
	wrong "'--nosuch' is not an option" $verb x --nosuch
	wrong "'--help' takes no argument" $verb --help=me
done
# in a word of several letters, the wrong one is named
wrong "'-Y' is not an option" list x -vY
wrong "'-Y' is not an option" diff -Yv x
wrong "'-Y' is not an option" trace -n BEGIN -qYe
wrong "'-Y' is not an option" record --lossless -Yp 1
for option in -P -m -f -n; do
	wrong "'$option' needs an argument" list x "-v${option#-}"
	wrong "'$option' needs an argument" list x $option
done
wrong "'--contract' needs an argument" check --contract
wrong "'-a' needs an argument" check -c x -a
wrong "'--rotate' needs an argument" record --rotate
wrong "'-s' needs an argument" trace -qs
wrong "'--json' takes no argument" log --json=yes x
wrong "-p 1 is given twice" record -o x -p 1 -p 1
wrong "-c is given twice: one command at a time" record -o x -c true -c true
wrong "--via x: it is auto, stream or kernel" record -o x -p 1 --via x
wrong "--seconds: 'x' is not a number from 1 to 1000000000" record -o x -p 1 --seconds x
wrong "--socket is given twice: one target at a time" record -o x --socket a --socket b
wrong "one of -p, -c, --wait, --socket and -- COMMAND says what to record" record -o x -p 1 --socket a
