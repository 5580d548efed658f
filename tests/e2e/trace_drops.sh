#!/bin/bash
# By default the VM does not wait. For each program, the events that a tracer received plus those
# that it reports as dropped are exactly the events that the VM counted.
# tests: src/source/eventlog/loss_gaps.c src/shim/stream/missed.c src/wire/loss.c
set -eu
programs=(examples/toy/programs/*.toy)
[ "${VMTAP_SANITIZED:-0}" = 1 ] && echo "left out: other programs: they take long with sanitizers" &&
	programs=(examples/toy/programs/{redefine,richards}.toy)
for program in "${programs[@]}"; do
	rm -f "$TMPDIR"/*
	"$VMTAP" trace -q -o "$TMPDIR/out" -c "$TOY --caps=2 --stats=json $program" \
		-n 'vm$target::: { @[probename] = count(); }' >/dev/null 2>"$TMPDIR/errors" ||
		{ echo "$program: status $?"; cat "$TMPDIR/errors"; exit 1; }
	result=$(python3 tests/e2e/witness.py counts "$TMPDIR/errors" "$TMPDIR/out" "$TMPDIR/errors") ||
		{ echo "$program: $result"; exit 1; }
	echo "$program: $result"
done
