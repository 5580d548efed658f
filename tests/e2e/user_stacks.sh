#!/bin/bash
# Stacks of programs built in several ways, unwound from outside: without frame pointers, with
# unwind information only for debuggers, without section headers, with the symbols in another
# file, and through code made at run time.
# tests: src/usdt/unwind
set -u
. tests/e2e/common
[ "$(uname -m)" = x86_64 ] || { echo "only x86-64 can be unwound" && exit 77; }
show=$BUILD/tests/tools/show_stack
target=$directory/target

build() { # compiler and its flags
	rm -rf "$directory/.debug"
	"$@" -g -o "$target" tests/tools/stack_target.c 2>"$directory/err" || fail "$* does not build"
}

start() { # arguments of the target
	mkfifo "$directory/ready.$((++started))"
	"$target" "$@" >"$directory/ready.$started" &
	pid=$!
	pids+=("$pid")
	read -r _ <"$directory/ready.$started" || fail "the target does not start"
}
started=0

# Shows the target's stack, and the functions in it from the innermost that main has called. qsort and
# what it calls are left out: their names are in another package unless libc is linked statically.
stack() { # functions expected, innermost first; how the stack ends
	local wanted=$1 end=$2
	"$show" "$pid" >"$directory/out" 2>"$directory/err" || fail "show_stack $pid"
	kill "$pid"
	wait "$pid"
	functions=$(sed -n '/ libc[^`]*`/d; s/^0x[0-9a-f]* [^`]*`//p' "$directory/out" |
		sed -n '/^inner$/,/^main$/p' | grep -vE 'qsort|msort' | tr '\n' ' ')
	[ "$functions" = "$wanted " ] || fail "the functions are $functions, not $wanted"
	[ "$(tail -n 1 "$directory/out")" = "$end" ] || fail "the stack does not end with \"$end\""
}
# Shows the target's stack, in which it must have no symbols.
no_symbols() {
	"$show" "$pid" >"$directory/out" 2>"$directory/err" || fail "show_stack $pid"
	kill "$pid"
	wait "$pid"
	has out '^0x[0-9a-f]* target`[?]$'
	has_not out '`(inner|main)$'
	has out "^$outermost\$"
}
all="inner compare middle outer main"
outermost="the outermost frame"

for compiler in gcc clang; do
	command -v $compiler >/dev/null || { echo "left out: $compiler: not installed" && continue; }
	for flags in -O0 "-O2 -fomit-frame-pointer" "-O2 -fno-omit-frame-pointer" "-O2 -static" \
		"-O2 -no-pie" "-O2 -fcf-protection -Wl,-z,lazy" "-O2 -Wl,--no-eh-frame-hdr" \
		"-O2 -mstackrealign"; do
		# shellcheck disable=SC2086
		build $compiler $flags
		start
		stack "$all" "$outermost"
	done
	if command -v ld.lld >/dev/null; then
		build $compiler -O2 -fuse-ld=lld
		start
		stack "$all" "$outermost"
	else
		echo "left out: $compiler with lld: there is no ld.lld"
	fi

	# .debug_frame, also compressed
	for compression in none zlib; do
		build $compiler -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables \
			-fno-unwind-tables -Wl,--compress-debug-sections=$compression
		readelf -SW "$target" | grep -q ' \.debug_frame ' || fail "no .debug_frame"
		start
		stack "$all" "$outermost"
	done

	# no unwind information at all
	objcopy --remove-section .debug_frame "$target"
	start
	"$show" "$pid" >"$directory/out" || fail "show_stack $pid"
	kill "$pid"
	has out '^no unwind information for this frame$'
	has_not out '`main$'
done

# symbols in another file
build "$CC" -O2
cp "$target" "$directory/whole"
for folder in "$directory" "$directory/.debug"; do
	mkdir -p "$folder"
	objcopy --only-keep-debug "$directory/whole" "$folder/target.debug"
	strip -o "$target" "$directory/whole"
	objcopy --add-gnu-debuglink="$folder/target.debug" "$target"
	start
	stack "$all" "$outermost"
	rm "$folder/target.debug"
done
# another program's symbols are not taken
"$CC" -O1 -g -Wl,--build-id -o "$directory/other" tests/tools/stack_target.c
objcopy --only-keep-debug "$directory/other" "$directory/.debug/target.debug"
start
no_symbols

# without a build ID, the checksum decides
build "$CC" -O2 -Wl,--build-id=none
objcopy --only-keep-debug "$target" "$directory/target.debug"
strip "$target"
objcopy --add-gnu-debuglink="$directory/target.debug" "$target"
start
stack "$all" "$outermost"
printf x >>"$directory/target.debug"
start
no_symbols

# no section headers: symbols are lost, frames are not
build "$CC" -O2 -fomit-frame-pointer
start
frames=$("$show" "$pid" | wc -l)
kill "$pid"
python3 - "$target" <<'END' || fail "no section headers"
import sys
with open(sys.argv[1], 'r+b') as file:
    file.seek(40)
    file.write(bytes(8))
    file.seek(58)
    file.write(bytes(6))
END
start
"$show" "$pid" >"$directory/out" || fail "show_stack $pid"
kill "$pid"
[ "$(wc -l <"$directory/out")" = "$frames" ] || fail "not $frames lines without section headers"
has out "^$outermost\$"

# code made at run time
build "$CC" -O2 -fomit-frame-pointer
start jit
module="perf-$pid.map"
stack "inner made at run time through_jit outer main" "$outermost"
has out " $module\`made at run time\$"

# a process whose program is gone
build "$CC" -O2
start
rm "$target"
stack "$all" "$outermost"
