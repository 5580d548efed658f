#!/bin/bash
# A process that has the library twice, in its executable and in an extension. Where the
# executable keeps its names to itself, each copy serves the events of its own object at a socket
# of its own. Where it exports them (-rdynamic), the extension uses the executable's copy. Either
# way the stream of the executable goes on when the extension is unloaded.
# tests: src/shim/core/foreign.c src/shim/core/registry.c
set -eu

expect() { # NAME ACTUAL WANTED
	[ "$2" = "$3" ] || { printf '%s: got\n%s\nbut expected\n%s\n' "$1" "$2" "$3" && exit 1; }
}

flags="-std=gnu11 -O2 -g -Iinclude -Isrc -I$BUILD/include -D_GNU_SOURCE"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"
# shellcheck disable=SC2086
build() { # OUTPUT ARGUMENTS...
	$CC $flags -o "$TMPDIR/$1" "${@:2}" -pthread -ldl
}
build count tests/shim/count.c tests/shim/reader.c
build extension.so -DEXTENSION -fPIC -shared tests/shim/twice.c "$BUILD/libvmtap.a"
build private tests/shim/twice.c "$BUILD/libvmtap.a"
build exported -rdynamic tests/shim/twice.c "$BUILD/libvmtap.a"

start() { # EXECUTABLE
	timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/$1" "$TMPDIR/first" "$TMPDIR/extension.so" "$TMPDIR/second" 1000 >"$TMPDIR/out" &
	host=$!
}

start private
"$TMPDIR/count" "$TMPDIR/second" lossless >"$TMPDIR/second.out" &
second=$!
first=$("$TMPDIR/count" "$TMPDIR/first" lossless)
wait $second
wait $host
expect "each with its own copy" "$(cat "$TMPDIR/out")" "extension 0"
expect "the executable's stream" "$first" "gc-idle 2000 0
cap 1 2000"
expect "the extension's stream" "$(cat "$TMPDIR/second.out")" "gc-idle 1000 0
cap 2 1000"

already=$(echo EALREADY | $CC -E -P -include errno.h - | tail -n 1)
start exported
first=$("$TMPDIR/count" "$TMPDIR/first" lossless)
wait $host
expect "one copy for both" "$(cat "$TMPDIR/out")" "extension -$already"
expect "the stream of both" "$first" "gc-idle 3000 0
cap 1 2000
cap 2 1000"
[ ! -e "$TMPDIR/second" ] || { echo "the second copy serves too" && exit 1; }
