#!/bin/bash
# What the library promises a VM that has a lock of its own: nothing waits for ever, and no event
# vanishes without being counted, whatever the VM does while it holds that lock and other threads
# fork (tests/shim/vm_lock.c lists it), with each kind of client, with a thread of the library's and
# without. No child has a socket of its parent's. The survival rig does the same for longer.
# tests: src/shim/server/start.c src/shim/server/turn.c
set -eu
flags="-std=gnu11 -O2 -g -Iinclude -Isrc -Itests -I$BUILD/include -D_GNU_SOURCE"
[ "${VMTAP_SANITIZED:-0}" != 1 ] || { echo "AddressSanitizer's allocator is not safe across fork()" && exit 77; }
$CC $flags -rdynamic -o "$TMPDIR/vm_lock" tests/shim/vm_lock.c tests/shim/reader.c "$BUILD/libvmtap.a" -pthread -ldl
$CC $flags -fPIC -shared -o "$TMPDIR/extension.so" tests/shim/extension.c "$BUILD/libvmtap_probes.a"

run() { # OPERATION CLIENT TURNS COUNT FORKS
	local folder status=0
	folder=$(mktemp -d "$TMPDIR/XXXXXX")
	"$TMPDIR/vm_lock" "$@" "$folder" "$TMPDIR/extension.so" >"$TMPDIR/out" || status=$?
	[ $status = 0 ] || { echo "vm_lock $*: status $status" && cat "$TMPDIR/out" && exit 1; }
	rm -rf "$folder"
}
for turns in 0 1; do
	for client in none lossless log; do
		for operation in fire import now take fork; do
			run $operation $client $turns 300 100
		done
		for operation in stop signals refused; do
			run $operation $client $turns 30 60
		done
		[ $turns = 0 ] || run turn $client 1 300 100
	done
	run callback lossless $turns 3 20
	run sockets none $turns 100 300
	run restarts none $turns 100 300
done
