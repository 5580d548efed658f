#!/bin/bash
# Two hundred children forked under a kernel tracer all survive, and each one's event is counted.
set -eu
. tests/shim/build_hosts.sh
. tests/shim/tracer.sh
tracer_required
for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	build_hosts $cc
	for name in host-probes host-static; do
		host=$TMPDIR/$name
		# Not limited to the parent, so that the children's events are counted.
		TRACER_OPTIONS=--usdt-file-activation traced "$host" "$host" fork 200
		[ "$(grep died "$TMPDIR/host.out")" = "died 0" ] || { echo "$cc $name: $(cat "$TMPDIR/host.out")" && exit 1; }
		[ "$(cat "$TMPDIR/tracer.out")" = "@n[9]: 200" ] ||
			{ echo "$cc $name: $(cat "$TMPDIR/tracer.out" "$TMPDIR/tracer.err")" && exit 1; }
		# Limited to the parent: no child dies either.
		traced "$host" "$host" fork 200
		[ "$(grep died "$TMPDIR/host.out")" = "died 0" ] || { echo "$cc $name, by pid: $(cat "$TMPDIR/host.out")" && exit 1; }
	done
done
