#!/bin/bash
# The command and a VM that has no thread of the library's: ps and trace find it, wherever its socket
# is; trace -c starts it and has every event; a recording and the VM's own log have every event, too.
# tests: src/shim/server/turn.c
set -eu
flags=(-std=gnu11 -O2 -Iinclude "-I$BUILD/include")
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=(-fsanitize=address,undefined)
$CC "${flags[@]}" -o "$TMPDIR/turns" tests/shim/turns.c "$BUILD/libvmtap.a" -pthread

try() { # SOCKET: the default one, or a path
	local vm input output answer
	mkfifo "$TMPDIR/input" "$TMPDIR/output"
	VMTAP_SOCKET=$1 "$TMPDIR/turns" 0 <"$TMPDIR/input" >"$TMPDIR/output" &
	vm=$!
	exec {input}>"$TMPDIR/input" {output}<"$TMPDIR/output"
	read -r answer <&$output
	[ "$answer" = started ]
	[ "$(ls /proc/$vm/task)" = $vm ] || { echo "it has another thread" && exit 1; }
	"$VMTAP" ps >"$TMPDIR/ps"
	grep -q "^ *$vm turns .* 0$" "$TMPDIR/ps" || { cat "$TMPDIR/ps" && exit 1; }
	"$VMTAP" trace -q -p $vm -n 'BEGIN { printf("begun\n"); exit(0); } vm$target:::gc-idle { }' >"$TMPDIR/got"
	grep -q begun "$TMPDIR/got"
	exec {input}>&- {output}<&-
	wait $vm
	rm "$TMPDIR/input" "$TMPDIR/output"
}
try ''
try "$TMPDIR/chosen"

counts='vm$target:::gc-idle { @ = count(); }'
"$VMTAP" trace --lossless -q -c "$TMPDIR/turns 200000" -n "$counts" </dev/null >"$TMPDIR/got"
[ "$(grep -v started "$TMPDIR/got" | xargs)" = 200000 ] || { cat "$TMPDIR/got" && exit 1; }
"$VMTAP" record --lossless -o "$TMPDIR/recording" -c "$TMPDIR/turns 100000" </dev/null >/dev/null
VMTAP_LOG=$TMPDIR/log "$TMPDIR/turns" 100000 </dev/null >/dev/null
for file in recording log; do
	"$VMTAP" trace -q --log "$TMPDIR/$file" -n 'vm*:::gc-idle { @ = count(); }' >"$TMPDIR/got"
	[ "$(xargs <"$TMPDIR/got")" = 100000 ] || { echo "$file" && cat "$TMPDIR/got" && exit 1; }
done
