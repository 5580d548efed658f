#!/bin/bash
# make demo: shows vmtap's main use on the toy VM from start to end. Lists the probes of its
# binary, checks them against the contract, starts it with a program that builds and drops trees,
# and runs two of the bundled D scripts against its pid: one for a second, one until the VM ends.
# Nothing here needs a privilege.
set -eu
build=${BUILD:-build}
program=examples/toy/programs/binary_trees.toy
bold= plain=
[ ! -t 1 ] || { bold=$(tput bold 2>/dev/null || true) plain=$(tput sgr0 2>/dev/null || true); }
pid=

say() {
	printf '\n%s%s%s\n' "$bold" "$*" "$plain"
}
show() { # prints the command line $1 as it would be typed, and runs it
	say "\$ $1"
	eval "$1"
}
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true' EXIT

show "$build/vmtap list -n 'gc-*' -n 'method-*' $build/toy"
show "$build/vmtap check --contract probes/vm.d $build/toy"
echo "(no findings: the binary has every probe that the contract promises)"

say "\$ $build/toy $program 19 &"
"$build/toy" "$program" 19 >/dev/null &
pid=$!
# Waits until the VM serves its stream: only a script that needs the VM, or a list, connects to it.
until "$build/vmtap" trace -l -p $pid >/dev/null 2>&1; do
	kill -0 $pid
done

say "\$ $build/vmtap trace --lossless method_count -p $pid     # and ^C after a second"
timeout --preserve-status -s INT 1 "$build/vmtap" trace --lossless method_count -p $pid
show "$build/vmtap trace gc_pause -p $pid"
wait $pid
pid=
say "Your own VM next: README.md, \"Put probes into your VM\"."
