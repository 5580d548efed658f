#!/bin/bash
# elfutils' eu-stack sees the same stacks in programs of this system, in the toy VM, and in
# programs that the tests build.
set -u
command -v eu-stack >/dev/null || { echo "eu-stack is not installed" && exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "only x86-64 can be unwound" && exit 77; }
. tests/e2e/common
show=$BUILD/tests/tools/show_stack
failed=0
compared=0

# Waits until a process sleeps in a system call, so that it does not move between the two.
sleeps() {
	[ "$(awk '{ print $1 }' "/proc/$1/syscall")" != running ] &&
		[ "$(awk '/^State/ { print $2 }' "/proc/$1/status")" = S ]
}

compare() { # command
	command -v "$1" >/dev/null || return
	"$@" <"$directory/never" >/dev/null 2>&1 &
	local pid=$! name=$1
	pids+=("$pid")
	await "$name does not sleep" sleeps "$pid"
	sleep 0.3 # a program may sleep for a moment before it does so for long
	await "$name does not sleep" sleeps "$pid"
	"$show" "$pid" | grep -o '^0x[0-9a-f]*' >"$directory/ours"
	eu-stack -1 -p "$pid" 2>"$directory/errors" | grep -oE '0x[0-9a-f]{16}' >"$directory/theirs"
	"$show" "$pid" >"$directory/shown"
	kill -9 "$pid"
	if [ ! -s "$directory/theirs" ]; then
		echo "$name: eu-stack shows nothing: $(head -n 1 "$directory/errors")"
		failed=1
	elif ! diff "$directory/theirs" "$directory/ours" >"$directory/difference"; then
		echo "$name: eu-stack (<) and vmtap (>) differ:"
		cat "$directory/difference" "$directory/shown"
		failed=1
	else
		compared=$((compared + 1))
	fi
}

mkfifo "$directory/never"
sleep 1000 >"$directory/never" &
pids+=("$!")
cat >"$directory/deep.py" <<'END'
import sys
def f(n):
    return sorted([1, 2], key=lambda x: list(map(f, [n - 1])) or x) if n else sys.stdin.read()
f(20)
END
compare sleep 1000
compare cat
compare python3 "$directory/deep.py"
compare perl -e 'sub f { $_[0] ? f($_[0] - 1) : <STDIN> } f(30)'
compare ruby -e 'def f(n) n > 0 ? [n].map { |x| f(x - 1) } : STDIN.read end; f(20)'
compare bash -c 'f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else read x; fi; }; f 20'
compare gdb -nx -q
compare awk '{ print }'
compare vim -u NONE
for compiler in gcc clang; do
	for flags in "-O0" "-O2" "-O3 -fomit-frame-pointer" "-Os -mstackrealign" "-O2 -static"; do
		# shellcheck disable=SC2086
		command -v $compiler >/dev/null &&
			$compiler $flags -o "$directory/target" tests/tools/stack_target.c &&
			compare "$directory/target"
	done
done
echo "$compared stacks compared"
[ "$compared" -ge 10 ] || failed=1
exit $failed
