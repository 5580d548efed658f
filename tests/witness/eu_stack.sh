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

pcs() { # pid: as vmtap sees them
	"$show" "$1" | grep -o '^0x[0-9a-f]*'
}

# Shows a stack in both ways while the process sleeps; fails if it has moved meanwhile, or if there
# are fewer frames than it will have.
show_both() { # pid, frames
	[ "$(awk '/^State/ { print $2 }' "/proc/$1/status")" = S ] || return 1
	pcs "$1" >"$directory/ours"
	eu-stack -1 -n 0 -p "$1" 2>"$directory/errors" | grep -oE '0x[0-9a-f]{16}' >"$directory/theirs"
	pcs "$1" | cmp -s - "$directory/ours" && [ "$(wc -l <"$directory/ours")" -ge "$2" ]
}

compare() { # the least number of frames, command
	local frames=$1
	shift
	command -v "$1" >/dev/null || return
	"$@" <"$directory/never" >/dev/null 2>&1 &
	local pid=$! name=$1
	pids+=("$pid")
	await "$name does not stay where it is" show_both "$pid" "$frames"
	"$show" "$pid" >"$directory/shown"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
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
sleep 1000 &
pids+=("$!")
"$show" $! >"$directory/shown" 2>&1
[ $? != 77 ] || { echo "other processes may not be stopped" && exit 77; }
compare 3 sleep 1000
compare 3 cat
compare 150 /usr/bin/python3 "$directory/deep.py"
compare 5 perl -e 'sub f { $_[0] ? f($_[0] - 1) : <STDIN> } f(30)'
compare 20 ruby -e 'def f(n) n > 0 ? [n].map { |x| f(x - 1) } : STDIN.read end; f(20)'
compare 50 bash -c 'f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else read x; fi; }; f 20'
compare 3 gdb -nx -q
compare 3 awk '{ print }'
compare 3 vim -u NONE
for compiler in gcc clang; do
	for flags in "-O0" "-O2" "-O3 -fomit-frame-pointer" "-Os -mstackrealign" "-O2 -static"; do
		# shellcheck disable=SC2086
		command -v $compiler >/dev/null &&
			$compiler $flags -o "$directory/target" tests/tools/stack_target.c &&
			compare 8 "$directory/target"
	done
done
echo "$compared stacks compared"
[ "$compared" -ge 10 ] || failed=1
exit $failed
