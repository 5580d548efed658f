#!/bin/bash
# The ways of linking the library, each traced through the stream and by a kernel tracer at the
# same time: static into the executable; the executable with libvmtap.so; either with two
# extensions, one of which is unloaded while it is traced. Both count exactly what each object
# fired. A tracer of one object does not open another object's guard.
# limit: 900
set -eu
. tests/shim/build_hosts.sh
. tests/shim/tracer.sh
tracer_required

expect() { # NAME ACTUAL WANTED
	[ "$2" = "$3" ] || { printf '%s: got\n%s\nbut expected\n%s\n' "$1" "$2" "$3" && cat "$TMPDIR/tracer.err" && exit 1; }
}
maps() { cat "$TMPDIR/tracer.out"; }

a=$TMPDIR/extension-a.so b=$TMPDIR/extension-b.so
for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	build_hosts $cc
	for name in host-static host-shared; do
		host=$TMPDIR/$name
		rm -f "$TMPDIR/socket"
		VMTAP_WAIT=1
		export VMTAP_WAIT
		"$TMPDIR/count" "$TMPDIR/socket" lossless >"$TMPDIR/count.out" &
		client=$!
		traced "$host" "$host" "$TMPDIR/socket" 1000
		wait $client
		expect "$cc $name: exit" "$host_status" 0
		expect "$cc $name: kernel" "$(maps)" "@n[1]: 2000"
		expect "$cc $name: stream" "$(grep -v gc-work "$TMPDIR/count.out")" "gc-idle 2000 0
cap 1 2000"

		rm -f "$TMPDIR/socket"
		"$TMPDIR/count" "$TMPDIR/socket" lossless >"$TMPDIR/count.out" &
		client=$!
		# By file, since bpftrace mixes up objects of one process that have the same probes.
		TRACER_OPTIONS=--usdt-file-activation traced "$host $a $b" "$host" "$TMPDIR/socket" 1000 "$a" "$b"
		wait $client
		unset VMTAP_WAIT
		expect "$cc $name with extensions: exit" "$host_status" 0
		expect "$cc $name with extensions: kernel" "$(maps)" "@n[1]: 2000
@n[2]: 2000
@n[3]: 1000"
		expect "$cc $name with extensions: stream" "$(grep -v gc-work "$TMPDIR/count.out")" "gc-idle 5000 0
cap 1 2000
cap 2 2000
cap 3 1000"

		# Only the first extension is traced: the other guards stay closed.
		traced "$a" "$host" - 1000 "$a" "$b"
		expect "$cc $name, one object traced: kernel" "$(maps)" "@n[2]: 2000"
		expect "$cc $name, one object traced: guards" "$(grep guard "$TMPDIR/host.out")" "guard 1 0
guard 2 1
guard 3 0"
	done
	# No runtime at all: a kernel tracer needs none.
	host=$TMPDIR/host-probes
	traced "$host" "$host" - 1000
	expect "$cc probes alone: kernel" "$(maps)" "@n[1]: 2000"
done
